// Texts that end a generation where they appear, also over the border of tokens.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace lawful::model {

/// Lets text through up to the first stop text: the one that is complete first, of those the longest. What may still
/// become one is held back, so that nothing of it is ever shown. What comes out does not depend on how the text was cut.
class StopText {
 public:
  /// io::BadInput where one is empty or not valid UTF-8.
  explicit StopText(std::vector<std::string> stops);

  /// What can be shown now, perhaps nothing. After a stop text: nothing.
  std::string push(std::string_view text);
  /// What was held back, and is no stop text since nothing follows.
  std::string finish();
  /// Whether a stop text has appeared.
  bool found() const { return found_; }

 private:
  std::size_t longest_at_end() const;
  std::size_t longest_begun() const;

  std::vector<std::string> stops_;
  std::string held_;
  bool found_ = false;
};

}  // namespace lawful::model
