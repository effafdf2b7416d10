#pragma once
// The keys of a config, declared once: reading, checks, writing, help and the reference page come
// from the declarations.

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "experiments/drivers/toml/config_reader.h"
#include "experiments/drivers/toml/toml_text.h"
#include "sim/rules/lossy_rule_options.h"

namespace speclab::experiments {

/// The member that a key fills; its type is the key's.
using ValueOfKey =
    std::variant<bool*, std::int32_t*, std::optional<std::int32_t>*, std::int64_t*, std::uint64_t*,
                 double*, std::optional<double>*, std::string*, LenientResidual*,
                 std::vector<std::string>*, std::vector<double>*, std::vector<std::int32_t>*>;

/// The description of a key that users see.
struct KeyDoc {
  std::string
      table;  ///< "axes"; "drafters.NAME" for tables of any name; empty for keys of no table
  std::string key;
  std::string meaning;                 ///< one line
  std::string unit{};                  ///< "tokens"; empty where there is none
  Range range{};                       ///< of numbers
  std::vector<std::string> choices{};  ///< of texts; empty: any
  std::vector<std::string> kinds{};    ///< kinds of drafter that have it; empty: all
  std::string only_for{};              ///< these kinds, or another condition; empty: always
  std::string default_text{};          ///< where it is not the value of a new config
  bool is_axis = false;

  std::string name() const { return table.empty() ? key : table + "." + key; }
};

std::string comma_list(const std::vector<std::string>& names);
bool are_equal(const ValueOfKey& a, const ValueOfKey& b);

/// A declaration: table, name, meaning and member, and behind them a call for whatever else holds.
/// @tparam Config  the struct that holds the value; copied to learn the defaults
template <typename Config>
struct Key : KeyDoc {
  std::function<ValueOfKey(Config&)> value;
  /// Whether a config that has it in this state names it: what is off or does not apply would be
  /// refused. Empty: always.
  std::function<bool(const Config&)> is_written{};

  Key& in(const char* what) { return set(&Key::unit, what); }
  Key& at_least(double low) { return within({.low = low}); }
  Key& from(double low, double high) { return within({.low = low, .high = high}); }
  Key& within(Range allowed) { return set(&Key::range, allowed); }
  Key& one_of(std::initializer_list<const char*> names) {
    return set(&Key::choices, std::vector<std::string>(names.begin(), names.end()));
  }
  Key& one_of(const auto& names) {
    return set(&Key::choices, std::vector<std::string>(names.begin(), names.end()));
  }
  Key& only(const auto& names) {
    kinds.assign(names.begin(), names.end());
    return only_if(comma_list(kinds));
  }
  Key& only_if(std::string condition) { return set(&Key::only_for, std::move(condition)); }
  /// @param text  in the place of the default value
  Key& shown_as(const char* text) { return set(&Key::default_text, text); }
  Key& as_axis() { return set(&Key::is_axis, true); }
  Key& written_if(std::function<bool(const Config&)> holds) {
    return set(&Key::is_written, std::move(holds));
  }
  /// Its default is not written.
  Key& written_if_set() {
    return written_if([value = value](const Config& config) {
      Config copy = config, fresh{};
      return !are_equal(value(copy), value(fresh));
    });
  }

 private:
  Key& set(auto member, auto what) {
    this->*member = std::move(what);
    return *this;
  }
};

/// Declares keys of one table whose members lie in one struct.
/// @tparam Path  of members, from the config to this struct
template <typename Config, auto... Path>
struct KeysOf {
  const char* table;
  std::vector<std::string> kinds{};  ///< that have these keys, if a key does not say otherwise

  Key<Config> operator()(const char* name, auto member, const char* meaning) const {
    Key<Config> key{
        {.table = table, .key = name, .meaning = meaning},
        [member](Config& config) -> ValueOfKey { return &((config.*....*Path).*member); }};
    return kinds.empty() ? key : key.only(kinds);
  }
};

std::string type_text(const KeyDoc& doc, const ValueOfKey& value);
std::string value_text(const ValueOfKey& value);

/// Reads one key into its member.
void read_value(ConfigReader& reader, const KeyDoc& doc, const ValueOfKey& value);
void write_value(TomlText& toml, const KeyDoc& doc, const ValueOfKey& value);

/// Reads the keys of `table`.
template <typename Config>
void read_keys(ConfigReader& reader, const std::vector<Key<Config>>& keys, const std::string& table,
               Config& config) {
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
std::vector<DescribedKey> described(const std::vector<Key<Config>>& keys) {
  Config copy{};
  std::vector<DescribedKey> rows;
  for (const Key<Config>& key : keys) {
    const ValueOfKey value = key.value(copy);
    rows.push_back({key, type_text(key, value),
                    key.default_text.empty() ? value_text(value) : key.default_text});
  }
  return rows;
}

}  // namespace speclab::experiments
