// What a call refuses, and in which words.
#pragma once
#include <string>

#include "io/bad_input.hpp"

namespace lawful::props {

/// The message of the io::BadInput that `call` throws; "" if it throws none. Any other exception passes through.
/// A message of more than one line, which the program would print as its one-line error, is returned as a complaint.
template <class Call>
std::string rejection(Call&& call) {
  try {
    call();
  } catch (const io::BadInput& error) {
    const std::string message = error.what();
    return message.find('\n') == std::string::npos ? message : "a message of several lines: " + message;
  }
  return "";
}

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace lawful::props
