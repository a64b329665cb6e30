// One self-contained page that shows a Trace.
#pragma once
#include "model/config.hpp"
#include "tokenizer/tokenizer.hpp"
#include "viewer/trace.hpp"

#include <string>

namespace lawful::viewer {

/// HTML that opens anywhere, without a network: viewer/page.html with its style and script, and the figures as JSON in
/// the element of id "trace". No text of a token is ever markup.
std::string page(const Trace& trace, const model::Config& config, const tokenizer::Tokenizer& tokenizer);

/// The bytes of a token as a page can show them: itself where it is UTF-8, else its bytes, as ⟨E2 9C⟩.
std::string shown(std::string_view bytes);

}  // namespace lawful::viewer
