#pragma once
// The rest of the methods of texts.

#include "engines/templates/attributes.h"
#include "engines/templates/characters.h"

namespace speclab::templates {

/// Methods that look for a part of a text. Null if there is none of this name.
Method searching_method(const std::string& name);
/// Methods that split a text. Null if there is none of this name.
Method splitting_method(const std::string& name);
/// Methods of case, of classes of characters and of width. Null if there is none of this name.
Method class_method(const std::string& name);

/// Python's text.strip and its like. @param set  characters to remove; null: blanks
Value stripped_text(Rendering& rendering, std::string_view text, Side side,
                    const std::string* set = nullptr);
/// Python's text.replace. @param most  replacements; negative: all
std::string replaced(Rendering& rendering, std::string_view text, std::string_view old,
                     std::string_view with, Integer most);

}  // namespace speclab::templates
