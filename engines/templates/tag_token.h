#pragma once
#include <string_view>

#include "engines/templates/lexer.h"

namespace speclab::templates {

/// A token and how many bytes of the source it takes.
struct TagToken {
  Token token;
  std::size_t length;
};

/// The name, number, string or sign at the beginning of a text inside of a tag.
/// @param is_behind_dot  then digits are an index: `a.0.1`
/// @throws TemplateError (syntax) if none begins there
TagToken tag_token(std::string_view rest, bool is_behind_dot, int line);

}  // namespace speclab::templates
