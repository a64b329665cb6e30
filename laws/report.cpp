#include "laws/report.hpp"

#include <fmt/ostream.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <ostream>

namespace lawful::laws {
namespace {

/// Breaks words into lines of at most `width`, each after `indent`.
std::string wrapped(std::string_view text, std::string_view indent, std::size_t width = 100) {
  std::string lines(indent);
  std::size_t column = indent.size();
  while (!text.empty()) {
    const auto word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(word.size() + 1, text.size()));
    if (column > indent.size() && column + 1 + word.size() > width) {
      lines += fmt::format("\n{}", indent);
      column = indent.size();
    } else if (column > indent.size()) {
      lines += ' ';
      ++column;
    }
    lines += word;
    column += word.size();
  }
  return lines;
}

std::string indented(std::string_view text, std::string_view indent) {
  std::string lines(indent);
  for (const char c : text) {
    lines += c;
    if (c == '\n') lines += indent;
  }
  return lines;
}

std::string configs(const LawFacts& law) {
  std::string text;
  for (const auto& c : law.configs)
    text += fmt::format("{}{} ({})", text.empty() ? "" : ", ", c.name, c.points == 1 ? "1 case" : fmt::format("{} cases", c.points));
  return text;
}

constexpr std::string_view searched_by_tests =
    "about texts: searched on the running code by the tests, with faults that it must refute";

/// Calls head(law) where a family begins, and each(law).
template <class Head, class Each>
void by_family(Head&& head, Each&& each) {
  std::string_view family;
  for (const auto& law : law_facts()) {
    if (law.family != family) head(law);
    family = law.family;
    each(law);
  }
}

}  // namespace

void write_list(std::ostream& out) {
  std::size_t width = 0;
  for (const auto& law : law_facts()) width = std::max(width, law.about.name.size());
  bool first = true;
  by_family(
      [&](const LawFacts& law) {
        fmt::print(out, "{}{}: {}\n", first ? "" : "\n", law.family, law.family_about);
        first = false;
      },
      [&](const LawFacts& law) { fmt::print(out, "  {:<{}}  {}\n", law.about.name, width, law.about.statement); });
  fmt::print(out, "\nlawful laws NAME explains one; --prove runs the search and the solver.\n");
}

void write_explanation(const LawFacts& law, std::ostream& out) {
  const About& a = law.about;
  fmt::print(out, "{} ({})\n{}\n\n", a.name, law.family, wrapped(a.statement, "  "));
  fmt::print(out, "{}\n\n{}\n\n", indented(a.picture, "    "), wrapped(a.why, "  "));
  fmt::print(out, "  governs   {} in {}\n", a.symbol, a.file);
  if (!law.about_numbers) {
    fmt::print(out, "  proof     {}\n", searched_by_tests);
    return;
  }
  fmt::print(out, "  about     {}\n\n", law.variables.empty() ? "the config's numbers, no variables"
                                                           : fmt::format("{}", fmt::join(law.variables, ", ")));
  fmt::print(out, "Proofs\n  compile time   {}\n", configs(law));
  fmt::print(out, "  random         legal values far outside the configs\n");
  fmt::print(out, "  all naturals   a solver refutes the negation\n\n");
  fmt::print(out, "Mutants, each refuted by all three\n");
  for (const auto& m : law.mutants) fmt::print(out, "  {:<24} {}\n", m.name, m.text);
}

void write_evidence(const Evidence& e, std::ostream& out) {
  fmt::print(out, "{}\n  compile time   {}\n", e.law->about.name, configs(*e.law));
  fmt::print(out, "  random         {} cases{}\n", e.search.cases,
             e.search.refuted ? ", refuted: " + e.search.counterexample
             : e.search.edges_unmet.empty()
                 ? ""
                 : fmt::format(", but these never occurred: {}", fmt::join(e.search.edges_unmet, ", ")));
  fmt::print(out, "  all naturals   {}\n", e.naturals);
  for (const auto& m : e.mutants)
    fmt::print(out, "  {} {}: {}\n", m.refuted_by.size() == 3 ? "refuted" : "NOT refuted by all", m.fault.name,
               fmt::join(m.refuted_by, ", "));
}

void write_page(std::ostream& out) {
  fmt::print(out, "# The laws\n\n"
                  "Written by `lawful laws --markdown`; a test fails when this page is stale. Each law is one object in\n"
                  "`laws/`, stated once and proved three ways: at compile time over its whole domain in each config, at\n"
                  "random far outside them and on the running code, and for all naturals by a solver. Each names mutants,\n"
                  "plausible wrong code, that every one of the three must refute. `docs/adding-a-law.md` walks through one.\n");
  by_family([&](const LawFacts& law) { fmt::print(out, "\n## {}: {}\n", law.family, law.family_about); },
            [&](const LawFacts& law) {
              const About& a = law.about;
              fmt::print(out, "\n### {}\n\n{}.\n\n```text\n{}\n```\n\n{}\n\n", a.name, a.statement, a.picture, a.why);
              fmt::print(out, "- Governs `{}` in `{}`.\n", a.symbol, a.file);
              if (!law.about_numbers) {
                fmt::print(out, "- Proof: {}.\n", searched_by_tests);
                return;
              }
              fmt::print(out, "- Compile time: {}.\n", configs(law));
              fmt::print(out, "- Mutants:");
              for (const auto& m : law.mutants)
                fmt::print(out, "{} `{}` ({})", &m == law.mutants.data() ? "" : ";", m.name, m.text);
              fmt::print(out, ".\n");
            });
}

}  // namespace lawful::laws
