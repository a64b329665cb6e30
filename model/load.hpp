// From a checkpoint to typed weights: every tensor of the model taken once, with the shape that its type has.
#pragma once
#include "io/bad_input.hpp"
#include "model/checkpoint/checkpoint.hpp"
#include "model/config.hpp"
#include "model/weights.hpp"

#include <string>

namespace lawful::model {

/// Whether a checkpoint's metadata states M's shape.
template <class M>
bool has_shape(const Shape& s) {
  constexpr Config c = M::config;
  return s.layers == c.layers && s.dim == c.dim() && s.heads == c.heads() && s.kv_heads == c.kv_heads &&
         s.head == c.head() && s.ffn == c.ffn && s.vocab == c.vocab && s.context == c.context && s.theta == c.theta &&
         s.eps == static_cast<float>(c.eps);
}

/// One line each, for the error that says what is known and what was found.
std::string describe(const Config& config);
std::string describe(const Shape& shape);

namespace detail {

template <class Out, class In>
void take(Checkpoint& from, const std::string& name, Linear<Out, In>& w) {
  w.matrix = from.take_matrix(name, Out::size, In::size);
  w.matrix.half_head = Out::Model::config.half;
}
template <class From, class To>
void take(Checkpoint& from, const std::string& name, RmsNorm<From, To>& w) {
  w.gain = from.take_vector(name, To::size);
}
template <class Ids, class Out>
void take(Checkpoint& from, const std::string& name, Embedding<Ids, Out>& w) {
  w.matrix = from.take_matrix(name, Ids::size, Out::size);
}

}  // namespace detail

/// Throws io::BadInput naming the tensor that is missing, has another shape, or that M has no place for.
template <class M>
Weights<M> load_weights(Checkpoint& from) {
  Weights<M> w;
  each_tensor("model", w.model, [&](const std::string& name, auto& tensor) { detail::take(from, name, tensor); });
  const std::string head = "lm_head.weight";
  if (from.find(head) != nullptr)
    detail::take(from, head, w.lm_head);
  else if (from.shape().tied)
    w.lm_head.matrix = w.model.embed_tokens.matrix;
  else
    io::reject(from.path(), head + ", since tie_word_embeddings is false", "no such tensor");
  from.refuse_leftovers();
  return w;
}

}  // namespace lawful::model
