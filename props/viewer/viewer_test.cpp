// The figures of a page, on the tiny model and on numbers made up: the page as a file is page_test.py's.
#include "io/bad_input.hpp"
#include "props/model/tiny.hpp"
#include "props/property.hpp"
#include "viewer/attention_weights.hpp"
#include "viewer/page.hpp"
#include "viewer/trace.hpp"

#include <cmath>
#include <numeric>

namespace {

using namespace lawful;
using namespace lawful::viewer;
using props::Ids;
using props::property;
using props::refuted;

const props::Tiny& tiny() {
  static const props::Tiny one = props::tiny_gguf(props::tiny_weights());
  return one;
}

Trace trace_of(const Ids& ids, std::size_t piece) {
  Recorder recorder(*tiny().model);
  const auto sequence = tiny().sequence();
  for (std::size_t done = 0; done < ids.size(); done += piece) {
    const auto some = std::span(ids).subspan(done, std::min(piece, ids.size() - done));
    const auto logits = sequence->append(some, some.size(), [&](std::size_t layer, std::string_view name, std::size_t,
                                                                std::size_t, std::span<const float> values) {
      recorder.watch(layer, name, values);
    });
    recorder.add(logits, some);
  }
  return recorder.finish([](std::size_t, std::size_t) {});
}

std::vector<double> positive_shares() {
  auto shares = *rc::gen::nonEmpty<std::vector<double>>();
  for (double& x : shares) x = std::isfinite(x) ? std::min(std::abs(x), 1e30) : 0.0;
  shares.front() += 1e-3;
  return shares;
}

bool adds_up(const std::vector<std::uint16_t>& row) { return std::accumulate(row.begin(), row.end(), 0) == whole_weight; }

}  // namespace

TEST_CASE("a row of weights is rounded to one that adds up") {
  property("it adds up to the whole", [] { RC_ASSERT(adds_up(in_wholes(positive_shares()))); });
  property("each weight is less than one unit off", [] {
    const auto shares = positive_shares();
    const double sum = std::accumulate(shares.begin(), shares.end(), 0.0);
    const auto row = in_wholes(shares);
    for (std::size_t i = 0; i < row.size(); ++i)
      RC_ASSERT(std::abs(row[i] - shares[i] / sum * whole_weight) < 1.0 + 1e-6);
  });
  CHECK(refuted("rounding each by itself would do", [] {
    const auto shares = positive_shares();
    const double sum = std::accumulate(shares.begin(), shares.end(), 0.0);
    std::vector<std::uint16_t> row;
    for (const double x : shares) row.push_back(static_cast<std::uint16_t>(std::lround(x / sum * whole_weight)));
    RC_ASSERT(adds_up(row));
  }));
  CHECK(in_wholes(std::vector{1.0}) == std::vector<std::uint16_t>{whole_weight});
  CHECK(in_wholes(std::vector{1.0, 1.0}) == std::vector<std::uint16_t>{32768, 32767});
}

TEST_CASE("of equally likely ids the lowest comes first") {
  const std::vector<float> logits{1.0f, 3.0f, 2.0f, 3.0f, -1.0f};
  const auto found = likeliest(logits, 3);
  REQUIRE(found.size() == 3);
  CHECK(found[0].id == 1);
  CHECK(found[1].id == 3);
  CHECK(found[2].id == 2);
  const double sum = std::exp(-2.0) + 1.0 + std::exp(-1.0) + 1.0 + std::exp(-4.0);
  CHECK(found[2].probability == doctest::Approx(std::exp(-1.0) / sum).epsilon(1e-14));
  CHECK(probability(logits, 4) == doctest::Approx(std::exp(-4.0) / sum).epsilon(1e-14));
  CHECK(likeliest(logits, 10).size() == 5);
}

TEST_CASE("a trace does not depend on how the text was cut") {
  const Ids ids = props::random_ids(13, 5);
  const Trace whole = trace_of(ids, 13);
  for (const std::size_t piece : {1, 4, 12}) {
    const Trace cut = trace_of(ids, piece);
    CHECK(cut.attention == whole.attention);
    CHECK(cut.norms == whole.norms);
    CHECK(cut.given == whole.given);
  }
}

TEST_CASE("every row of attention adds up, and the first token looks at itself alone") {
  const std::size_t count = 9;
  const auto& config = tiny().model->config();
  const Trace trace = trace_of(props::random_ids(count, 6), count);
  REQUIRE(trace.attention.size() == config.layers);
  for (const auto& layer : trace.attention) {
    REQUIRE(layer.size() == config.heads() * count * (count + 1) / 2);
    auto at = layer.begin();
    for (std::size_t head = 0; head < config.heads(); ++head)
      for (std::size_t t = 0; t < count; at += static_cast<std::ptrdiff_t>(++t))
        CHECK(std::accumulate(at, at + static_cast<std::ptrdiff_t>(t) + 1, 0) == whole_weight);
  }
}

TEST_CASE("reading out the last layer's stream gives the model's logits") {
  const Ids ids = props::random_ids(7, 8);
  std::vector<double> stream;
  const auto logits = tiny().sequence()->append(ids, ids.size(), [&](std::size_t layer, std::string_view name, std::size_t,
                                                                     std::size_t, std::span<const float> values) {
    if (layer + 1 == tiny().model->config().layers && name == "y") stream.assign(values.begin(), values.end());
  });
  const auto again = tiny().model->read_out(stream);
  REQUIRE(again.rows() == ids.size());
  for (std::size_t i = 0; i < ids.size(); ++i)
    for (std::size_t id = 0; id < logits.row(i).size(); ++id)
      CHECK(again.row(i)[id] == doctest::Approx(logits.row(i)[id]).epsilon(1e-4));
  CHECK_THROWS_AS(tiny().model->read_out(std::span(stream).first(5)), std::logic_error);
}

TEST_CASE("the embedding is the stream that enters the first layer") {
  const Ids ids{3, 200, 3};
  const auto rows = tiny().model->embedding(ids);
  const std::size_t width = tiny().model->config().dim();
  REQUIRE(rows.size() == 3 * width);
  CHECK(std::equal(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(width), rows.end() - static_cast<std::ptrdiff_t>(width)));
  CHECK(rows[0] != rows[width]);
  CHECK_THROWS_AS(tiny().model->embedding(Ids{256}), io::BadInput);
}

TEST_CASE("bytes that are no text are shown as bytes") {
  CHECK(shown("caf\xC3\xA9") == "caf\xC3\xA9");
  CHECK(shown("\xE2\x9C") == "⟨E2 9C⟩");
  CHECK(shown("") == "");
}
