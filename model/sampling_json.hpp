// The settings of sampling as a JSON object: {"temperature": 0.0, "top_k": 0, "top_p": 1.0, …}.
#pragma once
#include "model/sampling.hpp"

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace lawful::model {

/// All settings, by their names.
nlohmann::ordered_json to_json(const Sampling& sampling);

/// Those that `object` has, the others as in `absent`. Fields of other names are not looked at. io::BadInput naming
/// `place` and the field where a value is none, or not sound.
Sampling read_sampling(const nlohmann::json& object, const std::string& place, const Sampling& absent = {});

}  // namespace lawful::model
