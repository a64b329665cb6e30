// The laws as text, as JSON and as the page docs/laws.md.
#pragma once
#include <iosfwd>
#include <span>
#include <string>

#include "laws/evidence.hpp"

namespace lawful::laws {

/// One line a law, by family.
void write_list(std::ostream& out);

/// All about one law.
void write_explanation(const LawFacts& law, std::ostream& out);

/// What the proofs came to.
void write_evidence(const Evidence& evidence, std::ostream& out);

/// The laws as one JSON array: with verdicts for those that there is evidence of, null in their place for others.
void write_json(std::span<const LawFacts* const> laws, std::span<const Evidence> evidence, std::ostream& out);

/// docs/laws.md.
void write_page(std::ostream& out);

}  // namespace lawful::laws
