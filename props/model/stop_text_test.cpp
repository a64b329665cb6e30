// Stop texts: nothing of one is ever shown, nothing else is lost, however the text arrives.
#include "model/stop_text.hpp"
#include "props/property.hpp"
#include "props/rejection.hpp"

#include <algorithm>

namespace {

using namespace lawful::props;
namespace model = lawful::model;

std::string over_two_letters(std::size_t least, std::size_t most) {
  std::string out;
  for (auto n = *rc::gen::inRange(least, most); n > 0; --n) out += *rc::gen::element('a', 'b');
  return out;
}

/// Where the text is cut: before the stop text that is complete first, of those the longest.
std::size_t cut(const std::string& text, const std::vector<std::string>& stops) {
  std::size_t end = std::string::npos, begin = text.size();
  for (const auto& stop : stops) {
    const std::size_t at = text.find(stop);
    if (at == std::string::npos) continue;
    const std::size_t its_end = at + stop.size();
    if (its_end < end || (its_end == end && at < begin)) end = its_end, begin = at;
  }
  return begin;
}

}  // namespace

TEST_CASE("what is shown is the text before the first stop text, in whatever pieces it came") {
  int stopped = 0, over_pieces = 0;
  property("the shown text, and whether it stopped", [&] {
    std::vector<std::string> stops;
    for (int n = *rc::gen::inRange(0, 4); n > 0; --n) stops.push_back(over_two_letters(1, 6));
    const std::string text = over_two_letters(0, 40);
    const std::size_t end = cut(text, stops);
    model::StopText stream(stops);
    std::string shown;
    for (std::size_t at = 0; at < text.size() && !stream.found();) {
      const std::size_t piece = *rc::gen::inRange<std::size_t>(1, 5);
      const std::string out = stream.push(std::string_view(text).substr(at, piece));
      shown += out;
      RC_ASSERT(shown.size() <= end);  // never a byte of a stop text, not even for a moment
      at += piece;
    }
    const bool found = stream.found();
    RC_ASSERT(found == (std::ranges::any_of(stops, [&](const auto& s) { return text.find(s) != std::string::npos; })));
    if (found) RC_ASSERT(stream.push("more").empty());
    shown += stream.finish();
    RC_ASSERT(shown == text.substr(0, end));
    stopped += found;
    over_pieces += found && stops.size() > 1;
  }, 2000);
  CHECK(stopped > 300);
  CHECK(over_pieces > 100);
}

TEST_CASE("no more is held back than could become a stop text") {
  model::StopText stream({"###", "\n\nUser:"});
  CHECK(stream.push("a#") == "a");
  CHECK(stream.push("#b") == "##b");
  CHECK(stream.push("c\n") == "c");
  CHECK(stream.push("\nU").empty());
  CHECK(stream.push("se#") == "\n\nUse");
  CHECK(stream.push("##d").empty());
  CHECK(stream.found());
  CHECK(stream.finish().empty());
  model::StopText none({});
  CHECK(none.push("x\xe2") == "x\xe2");
}

TEST_CASE("an empty stop text and one that is not UTF-8 are refused") {
  CHECK(contains(rejection([] { model::StopText stop({"a", ""}); }), "stop: expected a text"));
  CHECK(contains(rejection([] { model::StopText stop({"\xff"}); }), "stop"));
}
