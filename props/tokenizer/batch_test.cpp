// A batch over threads is each text by itself.
#include <doctest/doctest.h>

#include <thread>

#include "props/rejection.hpp"
#include "props/tokenizer/smollm2.hpp"

namespace {

using namespace lawful;
using namespace lawful::tokenizer;
using props::smollm2;

std::vector<std::string> some_texts() {
  std::vector<std::string> texts{"", "Hello", "<|im_end|>"};
  for (int i = 0; i < 2000; ++i) texts.push_back("text " + std::to_string(i) + " unpretokenizable antidis<|im_end|>\n");
  return texts;
}

std::vector<std::string_view> views(const std::vector<std::string>& texts) { return {texts.begin(), texts.end()}; }

}  // namespace

TEST_CASE("a batch gives the ids of each text, in order, on any number of threads") {
  const auto texts = some_texts();
  for (const auto specials : {Specials::parsed, Specials::plain}) {
    std::vector<std::vector<Id>> alone;
    for (const auto& text : texts) alone.push_back(smollm2().encode(text, specials));
    for (const unsigned threads : {0U, 1U, 2U, 7U, 5000U}) {
      CAPTURE(threads);
      CHECK(smollm2().encode_batch(views(texts), specials, threads) == alone);
    }
  }
  CHECK(smollm2().encode_batch({}, Specials::plain, 4).empty());
}

TEST_CASE("the first bad text of a batch is refused, by its number") {
  auto texts = some_texts();
  texts[500] += "\xFF";
  texts[900] += "\x80\x80";
  for (const unsigned threads : {1U, 4U}) {
    CHECK(props::rejection([&] { smollm2().encode_batch(views(texts), Specials::parsed, threads); }) ==
          "text 500: expected valid UTF-8, found byte FF at offset " + std::to_string(texts[500].size() - 1));
  }
}

TEST_CASE("one tokenizer serves many threads at once") {
  const auto texts = some_texts();
  const auto expected = smollm2().encode_batch(views(texts), Specials::parsed, 1);
  std::vector<int> wrong(4);
  {
    std::vector<std::jthread> threads;
    for (int& mine : wrong) {
      threads.emplace_back([&] {
        for (std::size_t i = 0; i < texts.size(); ++i) mine += smollm2().encode(texts[i]) != expected[i];
      });
    }
  }
  CHECK(wrong == std::vector<int>(4));
}
