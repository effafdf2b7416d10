#pragma once
// The keys of a config, declared once: reading, checks, writing, help and the reference page come
// from the declarations.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "experiments/drivers/toml/config_reader.h"
#include "experiments/drivers/toml/toml_text.h"
#include "sim/rules/lenient_residual.h"

namespace speclab::experiments {

/// The member that a key fills; its type is the key's.
using ValueOfKey =
    std::variant<bool*, std::int32_t*, std::optional<std::int32_t>*, std::int64_t*, std::uint64_t*,
                 double*, std::optional<double>*, std::string*, LenientResidual*,
                 std::vector<std::string>*, std::vector<double>*, std::vector<std::int32_t>*>;

/// What a user may know of a key.
struct KeyDoc {
  std::string
      table;  ///< "axes"; "drafters.NAME" for tables of any name; empty for keys of no table
  std::string key;
  std::string meaning;                 ///< one line
  std::string unit{};                  ///< "tokens"; empty where there is none
  Range range{};                       ///< of numbers
  std::vector<std::string> choices{};  ///< of texts; empty: any
  std::string only_for{};              ///< "kinds prompt_lookup, lookup_ngram"; empty: always
  std::string default_text{};          ///< where it is not the value of a new config
  bool is_axis = false;

  std::string name() const { return table.empty() ? key : table + "." + key; }
};

/// @tparam Config  the struct that holds the value; copied to learn the defaults
template <typename Config>
struct Key : KeyDoc {
  ValueOfKey (*value)(Config&) = nullptr;
  /// Whether a config that has it in this state names it: what is off or does not apply would be
  /// refused.
  bool (*is_written)(const Config&) = nullptr;
};

std::string type_text(const KeyDoc& doc, const ValueOfKey& value);
std::string value_text(const ValueOfKey& value);

/// Reads one key into its member.
void read_value(ConfigReader& reader, const KeyDoc& doc, const ValueOfKey& value);
void write_value(TomlText& toml, const KeyDoc& doc, const ValueOfKey& value);

/// Reads the keys of `table`.
template <typename Config>
void read_keys(ConfigReader& reader, const auto& keys, const std::string& table, Config& config) {
  for (const Key<Config>& key : keys)
    if (key.table == table) read_value(reader, key, key.value(config));
}

/// Writes the keys of `table`, in the order of the declarations.
template <typename Config>
void write_keys(TomlText& toml, const std::vector<Key<Config>>& keys, const std::string& table,
                const Config& config) {
  Config copy = config;
  for (const Key<Config>& key : keys)
    if (key.table == table && (!key.is_written || key.is_written(config)))
      write_value(toml, key, key.value(copy));
}

/// A row of the reference.
struct DescribedKey {
  KeyDoc doc;
  std::string type, default_value;
};

template <typename Config>
std::vector<DescribedKey> described(const auto& keys, const Config& defaults) {
  Config copy = defaults;
  std::vector<DescribedKey> rows;
  for (const Key<Config>& key : keys) {
    const ValueOfKey value = key.value(copy);
    rows.push_back({key, type_text(key, value),
                    key.default_text.empty() ? value_text(value) : key.default_text});
  }
  return rows;
}

}  // namespace speclab::experiments
