#include <nlohmann/json.hpp>

#include <ostream>

#include "laws/report.hpp"

namespace lawful::laws {
namespace {

using Json = nlohmann::ordered_json;

Json described(const LawFacts& law) {
  Json configs = Json::object();
  for (const auto& c : law.configs) configs[std::string(c.name)] = {{"proof", "compile time"}, {"cases", c.points}};
  return {{"name", law.about.name},
          {"family", law.family},
          {"statement", law.about.statement},
          {"governs", {{"symbol", law.about.symbol}, {"file", law.about.file}}},
          {"configs", configs}};
}

Json mutants(const LawFacts& law) {
  Json all = Json::array();
  for (const auto& m : law.mutants) all.push_back({{"name", m.name}, {"fault", m.text}, {"refuted_by", {"compile time"}}});
  return all;
}

Json mutants(const Evidence& evidence) {
  Json all = Json::array();
  for (const auto& m : evidence.mutants)
    all.push_back({{"name", m.fault.name}, {"fault", m.fault.text}, {"refuted_by", m.refuted_by}});
  return all;
}

Json searched(const Evidence& e) {
  Json random = {{"cases", e.search.cases}, {"held", e.searched()}};
  if (e.search.refuted) random["counterexample"] = e.search.counterexample;
  if (!e.search.edges_unmet.empty()) random["edges_unmet"] = e.search.edges_unmet;
  return random;
}

}  // namespace

void write_json(std::span<const LawFacts* const> laws, std::span<const Evidence> evidence, std::ostream& out) {
  Json all = Json::array();
  for (std::size_t i = 0; i < laws.size(); ++i) {
    Json law = described(*laws[i]);
    const bool known = i < evidence.size();
    law["naturals"] = known ? Json(evidence[i].naturals) : Json(nullptr);
    law["random"] = known ? searched(evidence[i]) : Json(nullptr);
    law["mutants"] = known ? mutants(evidence[i]) : mutants(*laws[i]);
    all.push_back(std::move(law));
  }
  out << all.dump(2) << '\n';
}

}  // namespace lawful::laws
