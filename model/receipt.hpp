// A receipt of a generation: what it was made of, and a digest for each step, chained over the logits that the step
// chose from. Since the same model and ids give the same bits everywhere, any machine can check it.
#pragma once
#include "io/sha256.hpp"
#include "model/checkpoint/checkpoint.hpp"
#include "model/generate.hpp"
#include "model/sequence.hpp"

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lawful::model {

struct Receipt {
  std::string model;                 ///< the config's name
  std::vector<std::string> files;    ///< SHA-256 of the checkpoint's files, weights first
  std::vector<std::uint32_t> prompt, ids, eos;
  std::size_t tokens = 0, context = 0;  ///< the limits
  std::string stop;                  ///< why it ended, as generate says it
  Sampling sampling = {};
  std::vector<std::string> stop_texts = {};
  /// Of each choice, in order: SHA-256 of the digest before it and the logits (F32, little endian). Before the first
  /// stands the SHA-256 of all that the choices follow from: model, files, prompt, eos, tokens, context, sampling, stop
  /// texts. A text that ended with an end-of-generation id has one step more than ids.
  std::vector<std::string> steps = {};
};

/// The digests of a checkpoint's files.
std::vector<std::string> file_digests(const Checkpoint& checkpoint);

/// The steps of a receipt, one after the other.
class ReceiptChain {
 public:
  /// Begins with what stands in `receipt` apart from ids, stop and steps.
  explicit ReceiptChain(const Receipt& receipt);
  /// The digest of the next choice, in hexadecimal.
  std::string add(std::span<const float> logits);

 private:
  io::Digest last_;
};

/// One JSON object in one line and a newline.
std::string to_json(const Receipt& receipt);

/// Reads it back. io::BadInput, naming `name` and the field, for anything else.
Receipt read_receipt(std::string_view text, const std::string& name);

/// Throws io::BadInput unless a receipt that ended with a stop text does so, and no other holds one.
void require_stop_text(const Receipt& receipt, const tokenizer::Tokenizer& tokenizer);

/// Computes the receipt's text again in `sequence`, which is empty, in pieces of `chunk`, and compares every step.
/// `between` is called as in prefill. io::BadInput where the receipt is of another model, files or context, or
/// contradicts itself; io::Failure naming the first step whose bits differ, or that chooses another id.
void verify(const Receipt& receipt, const Config& config, std::span<const std::string> files, Sequence& sequence,
            std::size_t chunk, const std::function<void(std::size_t)>& between);

}  // namespace lawful::model
