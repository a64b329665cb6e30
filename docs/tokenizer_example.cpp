#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>

#include "io/bad_input.hpp"
#include "tokenizer/detokenizer.hpp"
#include "tokenizer/tokenizer_json.hpp"

using namespace lawful;

int main(int count, char** arguments) {
  if (count != 2) return 2;
  std::ifstream file(arguments[1], std::ios::binary);
  const std::string json{std::istreambuf_iterator<char>(file), {}};
  const tokenizer::Tokenizer tok = tokenizer::read_tokenizer_json(json, arguments[1]);

  // Special tokens written in a text are parsed, or are its characters.
  const std::string text = "Hi 🦙, it's 2026.<|im_end|>";
  std::printf("parsed:");
  for (const tokenizer::Id id : tok.encode(text)) std::printf(" %u", id);
  std::printf("\nplain: ");
  const auto ids = tok.encode(text, tokenizer::Specials::plain);
  for (const tokenizer::Id id : ids) std::printf(" %u", id);

  // Whole characters come out as soon as they can: the emoji here is three tokens.
  std::printf("\nstream:");
  tokenizer::Detokenizer stream(tok);
  for (const tokenizer::Id id : ids) std::printf(" [%s]", std::string(stream.push(id)).c_str());
  std::printf(" [%s]\n", std::string(stream.finish()).c_str());
  std::printf("same:   %s\n", tok.decode(ids) == text ? "yes" : "no");

  // What cannot be used says what, what was expected, and what was found.
  try {
    tok.encode("caf\xE9");
  } catch (const io::BadInput& error) {
    std::printf("error:  %s\n", error.what());
  }
}
