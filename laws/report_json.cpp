#include <nlohmann/json.hpp>

#include <algorithm>
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
          {"about", law.about_numbers ? "numbers" : "texts"},
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
  for (const LawFacts* facts : laws) {
    Json law = described(*facts);
    const auto known = std::ranges::find(evidence, facts, &Evidence::law);
    const bool proved_now = known != evidence.end();
    law["naturals"] = proved_now ? Json(known->naturals) : Json(nullptr);
    law["random"] = proved_now ? searched(*known) : Json(nullptr);
    law["mutants"] = proved_now ? mutants(*known) : mutants(*facts);
    all.push_back(std::move(law));
  }
  out << all.dump(2) << '\n';
}

}  // namespace lawful::laws
