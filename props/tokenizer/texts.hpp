// Random texts of the kinds that tokenizers get wrong.
#pragma once
#include <rapidcheck.h>

#include <numeric>
#include <string>
#include <vector>

namespace lawful::props {

/// Letters, every kind of space, digits and numerics outside ASCII (U+11DE0 is one to the Digits step only), marks,
/// contractions, emoji, whole and broken special tokens, and characters with bytes that have no token.
inline const std::vector<std::string>& text_parts() {
  static const std::vector<std::string> parts{
      "a", "b", "I", "he", "the", "Hello", "don't", "\u00e9", "e\u0301", "\u4e00", "\uac00", "\u0430",
      " ", " ", " ", "  ", "   ", "\n", "\n\n", "\t", "\r\n", "\u00a0", "\u3000", "\u0085", "\u2028", "\u200b",
      "0", "7", "42", "\u00bd", "\u00b2", "\u0663", "\u2167", "\U00011de0", "\U00016ff4",
      "'", "''", "'s", "'t", "'re", "'ve", "'m", "'ll", "'d", "'S", "'l", "\u2019s",
      ".", ",", "!?", "==", "_", "{", "\u00b7", "\u20ac", "\U0001f600", "\U0001f1e9", "\u200d", "\ufe0f",
      "<|im_start|>", "<|im_end|>", "<|endoftext|>", "<repo_name>", "<|im_", "end|>", "<", "<<", "|>",
      std::string(1, '\0'), "\x04", "\x06", "\x1d", "\U00040000", "\U00080000", "=\x06="};
  return parts;
}

inline rc::Gen<std::string> texts(const std::vector<std::string>& parts = text_parts()) {
  return rc::gen::map(rc::gen::container<std::vector<std::string>>(rc::gen::elementOf(parts)),
                      [](const std::vector<std::string>& chosen) {
                        return std::accumulate(chosen.begin(), chosen.end(), std::string());
                      });
}

}  // namespace lawful::props
