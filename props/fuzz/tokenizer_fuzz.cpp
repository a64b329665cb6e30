// Any bytes as a text: refused if they are not UTF-8, else encoded and decoded back, bar the bytes without a token.
#include "props/checkpoint/build_files.hpp"
#include "props/fuzz/demand.hpp"
#include "tokenizer/detokenizer.hpp"
#include "tokenizer/tokenizer.hpp"

namespace {

using namespace lawful;

tokenizer::Tokenizer make_tokenizer() {
  static const auto vocabulary = props::test_vocabulary();
  tokenizer::VocabularySource source{"vocabulary", {}, {}, {}};
  for (const auto& token : vocabulary.tokens) {
    source.kinds.push_back(source.tokens.size() < 3 ? tokenizer::TokenKind::control : tokenizer::TokenKind::normal);
    source.tokens.push_back(token);
  }
  for (const auto& merge : vocabulary.merges) {
    source.merges.push_back(tokenizer::split_merge(merge, source.merges.size(), "vocabulary"));
  }
  return tokenizer::Tokenizer(source);
}

std::string without_tokenless_bytes(std::string_view text, const tokenizer::Vocabulary& vocabulary) {
  std::string kept;
  for (const char c : text) {
    if (vocabulary.byte_token(static_cast<unsigned char>(c)) != tokenizer::Vocabulary::none) kept += c;
  }
  return kept;
}

/// decode(), id by id.
std::string streamed(const tokenizer::Tokenizer& tokenizer, const std::vector<tokenizer::Id>& ids) {
  tokenizer::Detokenizer stream(tokenizer);
  std::string text;
  for (const auto id : ids) {
    text += stream.push(id);
    props::demand(stream.held() <= 3);
  }
  return text += stream.finish();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const tokenizer::Tokenizer tokenizer = make_tokenizer();
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const auto specials : {tokenizer::Specials::parsed, tokenizer::Specials::plain}) {
    props::refused_or_sound([&] {
      const auto ids = tokenizer.encode(text, specials);
      for (const auto id : ids) {
        props::demand(id < tokenizer.size());
        props::demand(specials == tokenizer::Specials::parsed || id >= 3);
      }
      props::demand(streamed(tokenizer, ids) == tokenizer.decode(ids));
      props::demand(tokenizer.decode(ids) == without_tokenless_bytes(text, tokenizer.vocabulary()));
    });
  }
  return 0;
}
