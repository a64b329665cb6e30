// The tokens and the merge table of a byte-level BPE vocabulary, checked once, when they are loaded.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace lawful::tokenizer {

using Id = std::uint32_t;

/// A `control` token stands for itself in parsed text (<|im_end|>) and is never made by merges.
enum class TokenKind : std::uint8_t { normal, control };

/// Two tokens that become one. A merge's place in the list is its rank.
struct Merge {
  std::string_view left;
  std::string_view right;
};

/// What a model file says about its vocabulary: views into the file, unchecked. Whoever fills it has checked that the
/// file asks for this pre-tokenizer (GGUF: tokenizer.ggml.pre = "smollm") and for no normalizer.
struct VocabularySource {
  std::string name;                      ///< the file, as errors shall call it
  std::vector<std::string_view> tokens;  ///< by id; normal tokens in GPT-2's byte-level spelling ("Ġthe")
  std::vector<TokenKind> kinds;          ///< one for each token
  std::vector<Merge> merges;             ///< in rank order
};

/// The merge that is written "left right" (one U+0020; a spelled token holds none). BadInput otherwise.
Merge split_merge(std::string_view written, std::size_t rank, std::string_view file);

/// A merge by ids; `result` is the token spelled left + right.
struct MergeIds {
  Id left, right, result;
};

/// A checked vocabulary. Construction throws io::BadInput unless
///  - there is at least one merge, one kind for each token, and no token is empty or occurs twice;
///  - normal tokens are spelled in the byte alphabet, control tokens in ASCII;
///  - each merge's left, right and result are normal tokens, no two merges have the same result, and left and right
///    are single bytes or made by an earlier merge (every trained table is like this; the encoder relies on it).
class Vocabulary {
 public:
  static constexpr Id none = ~Id{0};

  explicit Vocabulary(const VocabularySource& source);

  std::size_t size() const { return kinds_.size(); }
  /// The exact bytes that a token stands for. `id` < size().
  std::string_view bytes(Id id) const {
    return {text_.data() + begins_[id], length(id)};
  }
  /// How many they are: at least 1.
  std::size_t length(Id id) const { return begins_[id + 1] - begins_[id]; }
  TokenKind kind(Id id) const { return kinds_[id]; }
  /// The token of one byte, or `none`: some bytes have no token, and are dropped from text before merging.
  Id byte_token(unsigned char byte) const { return byte_tokens_[byte]; }
  /// By rank.
  const std::vector<MergeIds>& merges() const { return merges_; }

 private:
  void read_tokens(const VocabularySource& source);
  void read_merges(const VocabularySource& source);

  std::string text_;                   // the bytes of all tokens, one after another
  std::vector<std::uint32_t> begins_;  // token id is text_[begins_[id], begins_[id + 1])
  std::vector<TokenKind> kinds_;
  std::vector<MergeIds> merges_;
  Id byte_tokens_[256];
};

}  // namespace lawful::tokenizer
