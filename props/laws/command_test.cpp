// `lawful laws`: what it prints, what it refuses, and that its documents follow the laws.
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "io/bad_input.hpp"
#include "laws/command.hpp"
#include "laws/facts.hpp"
#include "laws/nearest.hpp"
#include "laws/published.hpp"
#include "props/temporary_folder.hpp"

namespace {

namespace fs = std::filesystem;
using namespace lawful;

struct Ran {
  int status;
  std::string out, progress;
};

Ran run(const laws::Options& options) {
  std::ostringstream out, progress;
  const int status = laws::run(options, out, progress);
  return {status, out.str(), progress.str()};
}

std::string content(const fs::path& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t n = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

}  // namespace

TEST_CASE("the structural laws are the 21 published ones") {
  std::set<std::string_view> structural;
  for (const auto& law : laws::law_facts())
    if (law.family == "structural") structural.insert(law.about.name);
  CHECK(structural == std::set<std::string_view>(laws::published.begin(), laws::published.end()));
  CHECK(structural.size() == 21);
}

TEST_CASE("every law that a header of laws/ states is registered") {
  std::size_t stated = 0;
  for (const auto& entry : fs::directory_iterator("laws"))
    if (entry.path().extension() == ".hpp") stated += count(content(entry.path()), "static constexpr About about{");
  CHECK(stated == laws::law_facts().size());
}

TEST_CASE("what a law governs is in the file that it names") {
  for (const auto& law : laws::law_facts()) {
    INFO(law.about.name, " governs ", law.about.symbol, " in ", law.about.file);
    const auto symbol = law.about.symbol.substr(law.about.symbol.rfind(':') + 1);
    CHECK(content(fs::path(law.about.file)).find(symbol) != std::string::npos);
  }
}

TEST_CASE("every law names itself, its reason and its mutants") {
  std::set<std::string_view> names;
  for (const auto& law : laws::law_facts()) {
    INFO(law.about.name);
    CHECK(names.insert(law.about.name).second);
    CHECK(!law.about.statement.empty());
    CHECK(!law.about.why.empty());
    CHECK(!law.about.picture.empty());
    CHECK(law.mutants.empty() != law.about_numbers);
    CHECK(law.configs.empty() != law.about_numbers);
    for (const auto& config : law.configs) CHECK(config.points > 0);
  }
}

TEST_CASE("docs/laws.md is what the program writes") {
  INFO("lawful laws --markdown > docs/laws.md");
  CHECK((content("docs/laws.md") == run({.markdown = true}).out));
}

TEST_CASE("docs/adding-a-law.md quotes the code as it is") {
  const auto sources = content("laws/division.hpp") + content("laws/heads.hpp") + content("kernels/index.hpp");
  std::istringstream page(content("docs/adding-a-law.md"));
  bool quoting = false;
  std::size_t quoted = 0;
  for (std::string line; std::getline(page, line);) {
    if (line.starts_with("```")) quoting = line == "```cpp";
    else if (quoting && line.find("\u2026") == std::string::npos && line.size() > 3) {
      line = line.substr(0, line.find("//"));
      line.erase(line.find_last_not_of(' ') + 1);
      INFO(line);
      CHECK(sources.find(line) != std::string::npos);
      ++quoted;
    }
  }
  CHECK(quoted > 20);
}

TEST_CASE("the list names every law, an explanation has its parts") {
  const auto list = run({}).out;
  for (const auto& law : laws::law_facts()) {
    CHECK(list.find(std::string(law.about.statement)) != std::string::npos);
    const auto text = run({.name = std::string(law.about.name)}).out;
    for (const auto& mutant : law.mutants) CHECK(text.find(std::string(mutant.text)) != std::string::npos);
    CHECK(text.find(fmt::format("{} in {}", law.about.symbol, law.about.file)) != std::string::npos);
  }
}

TEST_CASE("an unknown law is refused with the nearest names") {
  try {
    run({.name = "gqa_hed"});
    FAIL("accepted");
  } catch (const io::BadInput& error) {
    CHECK(std::string(error.what()) ==
          "law: expected a name of `lawful laws` (near to it: gqa_head, read_len, kv_heads), found 'gqa_hed'");
  }
  CHECK_THROWS_AS(run({.name = "gqa_hed", .prove = true}), io::BadInput);
  CHECK_THROWS_AS(run({.name = "\n\xff", .json = true}), io::BadInput);
}

TEST_CASE("names are compared by edits") {
  CHECK(laws::edit_distance("", "") == 0);
  CHECK(laws::edit_distance("", "abc") == 3);
  CHECK(laws::edit_distance("kitten", "sitting") == 3);
  CHECK(laws::edit_distance("htlm", "html") == 1);
  CHECK(laws::edit_distance("ab", "cba") == 2);
  CHECK(laws::nearest("causl", {"kv_room", "causal"}, 5) == std::vector<std::string_view>{"causal", "kv_room"});
}

TEST_CASE("--prove proves all laws in three ways") {
  const auto ran = run({.prove = true, .json = true});
  CHECK(ran.status == 0);
  const auto all = nlohmann::json::parse(ran.out);
  CHECK(all.size() == laws::law_facts().size());
  std::size_t proved = 0;
  for (const auto& law : all) {
    INFO(law["name"]);
    if (law["about"] == "texts") {
      CHECK(law["naturals"].is_null());
      continue;
    }
    ++proved;
    CHECK(law["naturals"] == "proved");
    CHECK(law["random"]["held"] == true);
    CHECK(law["random"]["cases"] >= 1);
    CHECK(!law["configs"].empty());
    for (const auto& mutant : law["mutants"])
      CHECK(mutant["refuted_by"] == nlohmann::json({"compile time", "search", "solver"}));
  }
  CHECK(proved >= 25);
}

TEST_CASE("a law about texts is not called proved") {
  const auto ran = run({.name = "round_trip", .prove = true});
  CHECK(ran.status == 0);
  CHECK(ran.out == "1 about texts, which the tests search and nothing proves\n");
}

TEST_CASE("--json without --prove claims nothing that was not run") {
  for (const auto& law : nlohmann::json::parse(run({.json = true}).out)) {
    CHECK(law["naturals"].is_null());
    CHECK(law["random"].is_null());
  }
}

TEST_CASE("without a solver nothing is proved for all naturals, and it is said") {
  const laws::Options missing{.name = "gqa_head", .prove = true, .json = true, .solver = "no/such/module.so"};
  const auto ran = run(missing);
  CHECK(ran.status == 1);
  CHECK(ran.progress.find("no solver: no/such/module.so") != std::string::npos);
  const auto law = nlohmann::json::parse(ran.out)[0];
  CHECK(law["naturals"].get<std::string>().starts_with("not settled: no solver (no/such/module.so"));
  for (const auto& mutant : law["mutants"]) CHECK(mutant["refuted_by"] == nlohmann::json({"compile time", "search"}));
  CHECK_THROWS_AS(run({.smtlib = "unused", .solver = "no/such/module.so"}), io::Failure);
}

TEST_CASE("the obligations are written as SMT-LIB, one file each") {
  const props::TemporaryFolder folder;
  const auto into = folder.path() / "obligations";
  const auto ran = run({.smtlib = into.string()});
  CHECK(ran.status == 0);
  for (const auto& law : laws::law_facts()) {
    if (!law.about_numbers) continue;
    INFO(law.about.name);
    const bool by_model = law.about.name == "kv_heads";
    const auto text = content(into / fmt::format("{}{}.smt2", law.about.name, by_model ? ".tiny" : ""));
    CHECK(count(text, "(check-sat)") == 1);
    for (const auto variable : law.variables) CHECK(text.find(fmt::format("(declare-fun {} () Int)", variable)) != std::string::npos);
  }
  CHECK_THROWS_AS(run({.smtlib = (into / "causal.smt2").string()}), io::Failure);
}
