#include "laws/command.hpp"

#include <fmt/ostream.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <ostream>

#include "io/bad_input.hpp"
#include "io/printable.hpp"
#include "laws/nearest.hpp"
#include "laws/report.hpp"

namespace lawful::laws {
namespace {

std::vector<const LawFacts*> chosen(const std::string& name) {
  std::vector<const LawFacts*> laws;
  std::vector<std::string_view> names;
  for (const auto& law : law_facts()) {
    if (name.empty() || law.about.name == name) laws.push_back(&law);
    names.push_back(law.about.name);
  }
  if (laws.empty())
    io::reject("law", fmt::format("a name of `lawful laws` (near to it: {})", fmt::join(nearest(name, names, 3), ", ")),
               io::quoted(name));
  return laws;
}

std::optional<SolverModule> load_solver(const Options& options, std::string& why_not) {
  return options.solver ? SolverModule::load(*options.solver, why_not) : SolverModule::load(why_not);
}

int prove(const Options& options, const std::vector<const LawFacts*>& laws, std::ostream& out, std::ostream& progress) {
  std::string why_not;
  const auto solver = load_solver(options, why_not);
  if (solver) fmt::print(progress, "solver: {}\n", solver->name());
  else fmt::print(progress, "no solver: {}\nNothing is proved for all naturals in this run.\n", why_not);
  std::vector<Evidence> evidence;
  for (const auto* law : laws) {
    if (!law->about_numbers) continue;
    fmt::print(progress, "{} …", law->about.name);
    progress.flush();
    evidence.push_back(gather(*law, solver, why_not));
    const auto& e = evidence.back();
    fmt::print(progress, " {}, {} cases, {:.1f} s\n", e.proved() ? "proved" : "not proved", e.search.cases, e.solver_seconds);
    if (!options.json) write_evidence(e, out);
  }
  if (options.json) write_json(laws, evidence, out);
  const auto complete = static_cast<std::size_t>(std::ranges::count_if(evidence, &Evidence::complete));
  const std::size_t texts = laws.size() - evidence.size();
  if (!options.json && !evidence.empty())
    fmt::print(out, "{} of {} laws proved three ways, every mutant refuted by each\n", complete, evidence.size());
  if (!options.json && texts > 0) fmt::print(out, "{} about texts, which the tests search and nothing proves\n", texts);
  return complete == evidence.size() ? 0 : 1;
}

void write_file(const std::filesystem::path& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (!file) throw io::Failure(fmt::format("{}: cannot be written", path.string()));
}

int write_smtlib(const Options& options, std::ostream& out) {
  std::string why_not;
  const auto solver = load_solver(options, why_not);
  if (!solver) throw io::Failure(fmt::format("the obligations are written by the solver's module: {}", why_not));
  std::error_code error;
  std::filesystem::create_directories(options.smtlib, error);
  if (error) throw io::Failure(fmt::format("{}: {}", options.smtlib, error.message()));
  for (const auto& o : solver->obligations(options.name)) {
    const auto path = std::filesystem::path(options.smtlib) / (o.name + ".smt2");
    write_file(path, o.smtlib);
    fmt::print(out, "{}\n", path.string());
  }
  return 0;
}

}  // namespace

int run(const Options& options, std::ostream& out, std::ostream& progress) {
  const auto laws = chosen(options.name);
  if (!options.smtlib.empty()) return write_smtlib(options, out);
  if (options.prove) return prove(options, laws, out, progress);
  if (options.json) write_json(laws, {}, out);
  else if (options.markdown) write_page(out);
  else if (options.name.empty()) write_list(out);
  else write_explanation(*laws.front(), out);
  return 0;
}

}  // namespace lawful::laws
