#pragma once
// Reading a JSON schema, and the parts that json_schema.cpp puts together: places in a schema, and
// texts of each type as expressions. Each character of a string has one spelling: itself, its short
// escape, or \u00HH for the other control characters.

#include <nlohmann/json.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engines/constraints/expression.h"

namespace speclab::engines {

inline constexpr std::size_t kMostSchemaBytes = 1 << 20;
inline constexpr int kMostSchemaDepth = 64;      ///< schemas within schemas, references followed
inline constexpr int kMostSchemaParts = 20'000;  ///< schemas, each as often as it is referred to

/// Reads a JSON schema as an expression about JSON texts.
///
/// Known are type (also a list), enum, const, anyOf, oneOf of schemas of which no value meets two,
/// $ref to $defs without recursion; properties, required and additionalProperties false; items,
/// minItems and maxItems; minLength and maxLength in characters, or pattern; minimum, maximum and
/// the exclusive ones. Properties stand in the order of the schema, and no others are written.
/// Annotations (title, description, default, examples and their like) are read over.
/// @param file  for messages
/// @throws ConfigError with the path of any other keyword, of a wrong value, and of what no text
/// meets
/// @source JSON Schema, draft 2020-12
Expression read_json_schema(std::string_view schema, const std::string& file);

/// A value of a JSON schema that knows its path.
class SchemaPlace {
 public:
  using Json = nlohmann::ordered_json;

  /// @param file, value  outlive it
  SchemaPlace(const std::string& file, const Json& value, std::string path = "$")
      : file_(&file), value_(&value), path_(std::move(path)) {}

  const Json& value() const { return *value_; }
  bool has(const char* key) const { return value_->is_object() && value_->contains(key); }
  SchemaPlace at(const std::string& key) const;
  SchemaPlace at(std::size_t index) const;

  const std::string& text() const;
  /// The elements of a list that is not empty.
  std::vector<SchemaPlace> elements() const;
  /// A length: a whole number from 0 to 100000. @param key  of a member; nothing without it
  std::optional<std::int32_t> length(const char* key) const;
  /// A number. @param key  of a member; nothing without it
  std::optional<SchemaPlace> number(const char* key) const;

  /// @throws ConfigError with the file and the path
  [[noreturn]] void fail(const std::string& found, const std::string& allowed) const;
  std::string name() const;  ///< file and path, for messages
  /// The value, cut for a message.
  std::string shown() const;

 private:
  const std::string* file_;
  const Json* value_;
  std::string path_;
};

/// Parses the text of a schema, members in their order.
/// @throws ConfigError if it is too long, too deep or no valid JSON, or if a key stands twice in
/// one object
nlohmann::ordered_json parse_schema(std::string_view text, const std::string& file);

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

/// Reads a schema within a schema.
using ReadSchema = std::function<Expression(const SchemaPlace& schema)>;

/// Properties stand in the order of the schema; those that are not required may be missing.
/// @throws ConfigError if a required property is not described
Expression objects_of_schema(const SchemaPlace& schema, const ReadSchema& read);
/// @throws ConfigError if elements are not described, or minItems is above maxItems
Expression arrays_of_schema(const SchemaPlace& schema, const ReadSchema& read);
/// @throws ConfigError if minLength is above maxLength, or a pattern stands beside them
Expression strings_of_schema(const SchemaPlace& schema);

/// Whole numbers in digits, without -0, a fraction or an exponent, between the bounds of a schema.
/// @throws ConfigError if no number lies between them
Expression integers_of_schema(const SchemaPlace& schema);

/// Numbers as JSON has them; with bounds: without an exponent and -0.
/// @throws ConfigError if no number lies between them
Expression numbers_of_schema(const SchemaPlace& schema);

/// Whether a value is of a type; an integer is one that has no fraction and no exponent.
bool is_of_type(const SchemaPlace::Json& value, const std::string& type);

/// In one schema; names of properties count too.
inline constexpr std::size_t kMostComparisons = 1'000'000;
/// The schema that a reference means. @param reference  a schema with $ref
using FollowReference = std::function<SchemaPlace(const SchemaPlace& reference)>;

/// False if no value that the first schema writes or the second writes meets both. True if one
/// does, and where the schemas do not tell: patterns are not compared.
///
/// Types, enum and const, bounds and lengths tell values apart. Objects differ by a property that
/// one requires and the other lacks, or that both have with values of their own.
/// @param first, second    schemas that the reader has read, so that their keywords are right
/// @param num_comparisons  of schemas and values so far; grows
/// @throws ConfigError if it grows beyond kMostComparisons
bool may_share_a_value(const SchemaPlace& first, const SchemaPlace& second,
                       const FollowReference& follow, std::size_t& num_comparisons);

}  // namespace speclab::engines
