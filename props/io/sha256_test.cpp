// SHA-256 against the values of FIPS 180-4's examples, and in pieces of every size.
#include "io/sha256.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

namespace {

std::string digest(std::string_view text) { return lawful::io::hex(lawful::io::sha256(std::as_bytes(std::span(text)))); }

}  // namespace

TEST_CASE("the published examples") {
  CHECK(digest("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  CHECK(digest("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK(digest("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq") ==
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  CHECK(digest(std::string(1000000, 'a')) == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST_CASE("pieces make no difference") {
  std::string text;
  for (int i = 0; i < 300; ++i) text += static_cast<char>(i * 7);
  for (std::size_t length = 0; length <= text.size(); length += 13)
    for (const std::size_t piece : {1, 3, 55, 56, 63, 64, 65, 128}) {
      const std::string_view all = std::string_view(text).substr(0, length);
      lawful::io::Sha256 hash;
      for (std::size_t at = 0; at < length; at += piece) hash.update(std::as_bytes(std::span(all.substr(at, piece))));
      CHECK(lawful::io::hex(hash.finish()) == digest(all));
    }
}
