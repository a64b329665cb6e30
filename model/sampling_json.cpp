#include "model/sampling_json.hpp"

#include "io/bad_input.hpp"

#include <nlohmann/json.hpp>

namespace lawful::model {
namespace {

void read(const nlohmann::json& object, const std::string& place, const char* key, double& into) {
  const auto found = object.find(key);
  if (found == object.end()) return;
  if (!found->is_number()) io::reject(fmt::format("{}: {}", place, key), "a number", found->dump());
  into = found->get<double>();
}

void read(const nlohmann::json& object, const std::string& place, const char* key, std::uint64_t& into) {
  const auto found = object.find(key);
  if (found == object.end()) return;
  if (!found->is_number_unsigned())
    io::reject(fmt::format("{}: {}", place, key), "a whole number from 0 on", found->dump());
  into = found->get<std::uint64_t>();
}

}  // namespace

nlohmann::ordered_json to_json(const Sampling& s) {
  return {{"temperature", s.temperature}, {"top_k", s.top_k}, {"top_p", s.top_p}, {"min_p", s.min_p},
          {"repetition_penalty", s.repetition_penalty}, {"seed", s.seed}};
}

Sampling read_sampling(const nlohmann::json& object, const std::string& place, const Sampling& absent) {
  if (!object.is_object()) io::reject(place, "an object", object.type_name());
  Sampling s = absent;
  read(object, place, "temperature", s.temperature);
  read(object, place, "top_k", s.top_k);
  read(object, place, "top_p", s.top_p);
  read(object, place, "min_p", s.min_p);
  read(object, place, "repetition_penalty", s.repetition_penalty);
  read(object, place, "seed", s.seed);
  try {
    require_sound(s);
  } catch (const io::BadInput& error) {
    throw io::BadInput(place + ": " + error.what());
  }
  return s;
}

}  // namespace lawful::model
