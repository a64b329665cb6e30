// A rapidcheck property as a doctest assertion: fixed seed, printed on failure with the smallest counterexample.
#pragma once
#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <sstream>
#include <string>

namespace lawful::props {

/// The one seed of all suites. LAWFUL_SEED=N in the environment searches elsewhere.
rc::detail::TestParams search_params(int cases);

/// Checks `testable` on `cases` random inputs; `sentence` says what always holds.
template <class Testable>
void property(const std::string& sentence, Testable&& testable, int cases = 200) {
  rc::detail::TestMetadata metadata;
  metadata.id = sentence;
  metadata.description = sentence;
  const auto params = search_params(cases);
  const auto result = rc::detail::checkTestable(std::forward<Testable>(testable), metadata, params);
  rc::detail::SuccessResult success;
  std::ostringstream text;
  rc::detail::printResultMessage(result, text);
  const bool holds = result.match(success);
  INFO(sentence, "\nseed ", params.seed, "\n", text.str());
  CHECK(holds);
}

/// Whether the search finds a counterexample: for properties that must be false.
template <class Testable>
bool refuted(const std::string& sentence, Testable&& testable, int cases = 200) {
  rc::detail::TestMetadata metadata;
  metadata.id = sentence;
  metadata.description = sentence;
  rc::detail::FailureResult failure;
  return rc::detail::checkTestable(std::forward<Testable>(testable), metadata, search_params(cases)).match(failure);
}

}  // namespace lawful::props
