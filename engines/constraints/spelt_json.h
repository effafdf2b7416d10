#pragma once
// JSON texts as expressions. Each character of a string has one spelling: itself, its short escape,
// or \u00HH for the other control characters.

#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

#include "engines/constraints/expression.h"

namespace speclab::engines {

/// One character of the set within a string.
Expression spelt_characters(const CharacterSet& set);
/// An expression about a string's characters as one about their spellings.
Expression spelt_expression(const Expression& expression);
/// A string with its quotes. @param text  valid UTF-8
Expression spelt_string(std::string_view text);
/// Any JSON value, in its shortest form.
Expression spelt_value(const nlohmann::ordered_json& value);

/// Behind a comma and a colon there may be one blank.
Expression spelt_comma();
Expression spelt_colon();
/// Members or elements between two brackets.
Expression spelt_between(std::string_view open, std::vector<Expression> parts,
                         std::string_view close);

}  // namespace speclab::engines
