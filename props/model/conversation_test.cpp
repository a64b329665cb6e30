// Conversations with the tiny model in a checkpoint whose vocabulary is its own: what is kept, taken back and refused.
#include "io/json.hpp"
#include "io/utf8.hpp"
#include "model/conversation.hpp"
#include "model/message_json.hpp"
#include "props/model/tiny.hpp"
#include "props/rejection.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace {

using namespace lawful::props;
namespace model = lawful::model;
using model::Role;

/// The tiny model, its 256 ids being a few control tokens and bytes.
struct Talk {
  Tiny tiny = tiny_gguf(tiny_weights());
  lawful::tokenizer::Tokenizer tokenizer = tiny.checkpoint->tokenizer();
  model::ChatTemplate form{*tiny.checkpoint, tokenizer, "chatml"};
  std::unique_ptr<model::Sequence> sequence = tiny.sequence();
  model::Conversation conversation{*sequence, tokenizer, form, 16};
  std::string shown;
  std::size_t stop_after = 1000;  ///< bytes shown
  model::Sampling sampling;

  model::AnswerWatcher watcher() {
    shown.clear();
    return {[](std::size_t, std::size_t) {}, [this](std::string_view text) {
              shown += text;
              if (shown.size() >= stop_after) throw model::AnswerStopped{};
            }};
  }
  model::Answer say(const std::string& text, std::size_t tokens = 4, const std::vector<std::string>& stops = {}) {
    model::Limits limits{tokens, {}};
    limits.sampling = sampling;
    return conversation.say(text, limits, stops, watcher());
  }
};

}  // namespace

TEST_CASE("an answer is what generating from the conversation's ids gives, turn after turn, and is kept") {
  Talk t;
  std::vector<model::Message> expected;
  for (const std::string text : {"ab", "c"}) {
    expected.push_back({Role::user, text});
    const auto ids = t.form.encode(expected, true);
    const auto fresh = t.tiny.sequence();
    auto logits = model::prefill(*fresh, ids, 64, [](std::size_t) {});
    const auto made = model::generate(*fresh, ids, std::move(logits), {4, {t.form.end()}}, [](std::uint32_t) {});
    const auto answer = t.say(text);
    CHECK(answer.stop == made.stop);
    CHECK(answer.tokens == made.ids.size());
    CHECK((expected.size() == 1 || answer.kept > 0));
    expected.push_back(t.conversation.messages().back());
    CHECK(t.conversation.messages() == expected);
    CHECK(t.shown == t.tokenizer.decode(made.ids));
  }
}

TEST_CASE("an answer that is stopped stays as far as it came; one that never began leaves no trace") {
  Talk t;
  t.stop_after = 1;
  const auto answer = t.say("ab");
  CHECK_FALSE(answer.stop);
  CHECK(answer.tokens >= 1);
  REQUIRE(t.conversation.messages().size() == 2);
  CHECK(t.conversation.messages()[1].role == Role::assistant);
  const auto before = t.conversation.messages();
  auto watcher = t.watcher();
  watcher.reading = [](std::size_t, std::size_t) { throw model::AnswerStopped{}; };
  const auto none = t.conversation.say("cd", {4, {}}, {}, watcher);
  CHECK_FALSE(none.stop);
  CHECK(none.tokens == 0);
  CHECK(t.conversation.messages() == before);
  t.stop_after = 1000;
  CHECK(t.say("c").stop.has_value());
}

TEST_CASE("the system message survives a reset, and nothing else does") {
  Talk t;
  t.conversation.set_system("x");
  t.say("a");
  t.conversation.set_system("y");
  CHECK(t.conversation.messages().size() == 3);
  CHECK(t.conversation.messages().front() == model::Message{Role::system, "y"});
  t.conversation.reset();
  CHECK(t.conversation.messages() == std::vector<model::Message>{{Role::system, "y"}});
  CHECK(contains(rejection([&] { t.conversation.retry({4, {}}, {}, t.watcher()); }), "/retry: expected a message"));
}

TEST_CASE("a retry answers the same message, and a saved conversation answers as the one that goes on") {
  Talk t;
  t.say("ab");
  const auto first = t.conversation.messages();
  t.conversation.retry({4, {}}, {}, t.watcher());
  CHECK(t.conversation.messages() == first);
  const std::string saved = model::to_json(first);
  Talk other;
  other.conversation.load(model::read_messages(lawful::io::parse_json(saved, "f"), "f"), "f");
  t.say("c");
  other.say("c");
  CHECK(other.conversation.messages() == t.conversation.messages());
}

TEST_CASE("what cannot be is refused and changes nothing: the empty message, the context's end, ids of another text") {
  Talk t;
  t.say("ab");
  const auto before = t.conversation.messages();
  CHECK(contains(rejection([&] { t.say(""); }), "message: expected a text of at least one character"));
  CHECK(contains(rejection([&] { t.say("\xff"); }), "message"));
  CHECK(contains(rejection([&] { t.say(std::string(100, 'a')); }), "the conversation: expected at most 64 tokens"));
  CHECK(t.conversation.messages() == before);
  const auto refused = [&](const std::string& json) {
    return rejection([&] { t.conversation.load(model::read_messages(lawful::io::parse_json(json, "f"), "f"), "f"); });
  };
  CHECK(contains(refused(R"([{"role":"assistant","content":"a","ids":[9999]}])"), "f: message 0: ids"));
  CHECK(contains(refused(fmt::format(R"([{{"role":"assistant","content":"<|im_end|>","ids":[{}]}}])", t.form.end())),
                 "f: message 0: ids"));
  CHECK(t.conversation.messages() == before);
}

TEST_CASE("a stop text ends an answer before it, also in the conversation") {
  // The first seed whose answer has an ASCII character behind its beginning.
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Talk whole;
    whole.sampling = {5.0, 0, 1.0, 0.0, 1.0, seed};
    whole.say("ab", 12);
    const auto at = whole.shown.find_first_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789", 1);
    if (at == std::string::npos) continue;
    const std::string stop(1, whole.shown[at]);
    Talk t;
    t.sampling = whole.sampling;
    const auto answer = t.say("ab", 12, {stop});
    CHECK(answer.stop == model::Stop::stop);
    CHECK(t.shown == whole.shown.substr(0, whole.shown.find(stop)));
    CHECK(t.conversation.messages().back() ==
          model::Message{Role::assistant, lawful::io::replace_invalid_utf8(t.shown)});
    return;
  }
  FAIL("no seed has such an answer");
}
