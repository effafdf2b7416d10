#pragma once
#include "engines/templates/rendering.h"
#include "engines/templates/tree.h"

namespace speclab::templates {

/// A binary operator of Python. @throws TemplateError where Python raises
Value calculated(Rendering& rendering, Sign sign, const Value& left, const Value& right);
/// `-value` or `+value`
Value signed_value(Rendering& rendering, bool is_negative, const Value& value);
/// One pair of a chain of comparisons. @param sign  ==, !=, <, <=, >, >=, in or not in
bool holds(Rendering& rendering, const std::string& sign, const Value& left, const Value& right);

/// Python's `text % values`. @throws TemplateError
Value formatted_by_percent(Rendering& rendering, const std::string& format, const Value& values);
/// Python's `text.format(...)`. @throws TemplateError
Value formatted_by_braces(Rendering& rendering, const std::string& format,
                          const CallArguments& arguments);

/// The text with the five characters of HTML replaced, as markupsafe does.
std::string escaped_markup(const Rendering& rendering, std::string_view text);

}  // namespace speclab::templates
