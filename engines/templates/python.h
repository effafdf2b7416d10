#pragma once
// Python's ways with any value: its type's name, truth, length, items, equality, order and text,
// its operators and formats.

#include <nlohmann/json_fwd.hpp>

#include <span>
#include <string>
#include <string_view>

#include "engines/templates/rendering.h"
#include "engines/templates/tree.h"

namespace speclab::templates {

std::string type_name(const Value& value);
bool is_true(const Value& value);
/// @throws TemplateError if Python's len takes no such value
std::size_t length_of(const Rendering& rendering, const Value& value);
/// The items that a loop over the value gets. Those of a generator are then taken. They live as
/// long as the rendering. @throws TemplateError if the value is not iterable
std::span<const Value> items_of(Rendering& rendering, const Value& value);
bool is_iterable(const Value& value);

bool are_equal(Rendering& rendering, const Value& left, const Value& right);
/// Less than 0, 0 or more than 0, like a comparison of numbers or texts.
/// @param sign  the operator, for the message @throws TemplateError for values without order
int compared(Rendering& rendering, const Value& left, const Value& right, const char* sign = "<");
/// The operator `in`.
bool contains(Rendering& rendering, const Value& container, const Value& item);

std::string str(Rendering& rendering, const Value& value);
std::string repr(Rendering& rendering, const Value& value);
std::string repr_of_text(std::string_view text);
std::string integer_text(Integer number);
/// The shortest decimal number that reads as the same double, in Python's form.
std::string real_text(double number);

/// Whether the value may be a key of a dict. @throws TemplateError if it is not
void expect_hashable(Rendering& rendering, const Value& value);
/// Sets a key, or replaces its value where it stands.
void set_item(Rendering& rendering, Mapping& mapping, const Value& key, const Value& value);
/// The value of a key, or null.
const Value* item_of(Rendering& rendering, const Mapping& mapping, const Value& key);
const Value* item_of_text(Rendering& rendering, const Mapping& mapping, std::string_view key);

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

/// The value that Python's json.loads would give.
/// @throws TemplateError if it is nested too deeply or holds text that is no UTF-8
Value value_of(Rendering& rendering, const nlohmann::ordered_json& json);

/// A field of a format takes as long as so many evaluated nodes.
inline constexpr std::uint64_t kStepsOfField = 4;

/// Python's specification of a format: [[fill]align][sign][#][0][width][,][.precision][type].
struct FormatSpec {
  static constexpr std::size_t kMostWidth = 1'000'000;

  std::string fill = " ";
  char align = 0;  ///< < > ^ =, or 0: texts to the left, numbers to the right
  char sign = '-';
  bool alternate = false;
  bool fill_zero = false;
  std::size_t width = 0;
  char group = 0;  ///< , or _ between thousands
  int precision = -1;
  char type = 0;
};

/// Takes a number off a text; 0 if there is none. @throws TemplateError above kMostWidth
std::size_t take_number(const Rendering& rendering, std::string_view& text);
/// @throws TemplateError if it is none
FormatSpec parsed_spec(Rendering& rendering, std::string_view text);
/// @throws TemplateError if the type does not fit the value
std::string formatted(Rendering& rendering, const FormatSpec& spec, const Value& value);
/// Cut towards zero. @throws TemplateError for infinity, NaN and more than 127 bits
Value whole_part(const Rendering& rendering, double number);

}  // namespace speclab::templates
