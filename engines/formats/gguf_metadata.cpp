#include "engines/formats/gguf_metadata.h"

#include <fmt/format.h>

#include "engines/formats/input_file.h"
#include "sim/system/errors.h"

namespace speclab::engines {
namespace {

constexpr const char *kWrongModel = "use a file that carries this key",
                     *kOtherValue = "use another model, or convert it again";

std::string quoted_key(std::string_view key) { return "metadata '" + escaped(key, 64) + "'"; }

const char* name_of(const GgufValue& value) {
  constexpr const char* kNames[] = {"a bool",
                                    "an integer",
                                    "an integer",
                                    "a float",
                                    "a string",
                                    "an array of integers",
                                    "an array of integers",
                                    "an array of floats",
                                    "an array of strings"};
  return kNames[value.index()];
}

template <typename T>
constexpr const char* name_of_type() {
  if constexpr (std::same_as<T, bool>) return "a bool";
  if constexpr (std::same_as<T, std::string>) return "a string";
  if constexpr (std::floating_point<T>) return "a float";
  return sizeof(T) == 4 ? (std::is_signed_v<T> ? "a 32-bit integer" : "an integer in [0, 2^32)")
                        : (std::is_signed_v<T> ? "a 64-bit integer" : "an integer in [0, 2^64)");
}

template <typename T>
std::optional<T> converted(const GgufValue& value) {
  if constexpr (std::same_as<T, bool> || std::same_as<T, std::string>) {
    const T* found = std::get_if<T>(&value);
    return found ? std::optional<T>(*found) : std::nullopt;
  } else if constexpr (std::floating_point<T>) {
    const double* found = std::get_if<double>(&value);
    return found ? std::optional<T>(static_cast<T>(*found)) : std::nullopt;
  } else {
    const auto* natural = std::get_if<std::uint64_t>(&value);
    if (natural && std::in_range<T>(*natural)) return static_cast<T>(*natural);
    const auto* integer = std::get_if<std::int64_t>(&value);
    if (integer && std::in_range<T>(*integer)) return static_cast<T>(*integer);
    return std::nullopt;
  }
}

std::string shown(const GgufValue& value) {
  if (const auto* natural = std::get_if<std::uint64_t>(&value)) return fmt::format("{}", *natural);
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return fmt::format("{}", *integer);
  return name_of(value);
}

}  // namespace

bool GgufMetadata::insert(GgufEntry entry) {
  if (!index_.emplace(entry.key, entries_.size()).second) return false;
  entries_.push_back(std::move(entry));
  return true;
}

const GgufEntry* GgufMetadata::find_entry(std::string_view key) const {
  const auto found = index_.find(std::string(key));
  return found == index_.end() ? nullptr : &entries_[found->second];
}

const GgufEntry& GgufMetadata::entry(std::string_view key) const {
  if (const GgufEntry* found = find_entry(key)) return *found;
  throw_model_file_error(path_, 0, {quoted_key(key), "missing", "present", kWrongModel});
}

template <GgufScalar T>
std::optional<T> GgufMetadata::find(std::string_view key) const {
  const GgufEntry* found = find_entry(key);
  if (!found) return std::nullopt;
  if (const auto value = converted<T>(found->value)) return value;
  fail(key, shown(found->value), name_of_type<T>());
}

template <GgufScalar T>
T GgufMetadata::get(std::string_view key) const {
  entry(key);
  return *find<T>(key);
}

template <typename T>
const T& GgufMetadata::array(std::string_view key, const char* allowed) const {
  const GgufValue& value = entry(key).value;
  if (const T* found = std::get_if<T>(&value)) return *found;
  fail(key, shown(value), allowed);
}

const std::vector<std::string>& GgufMetadata::get_strings(std::string_view key) const {
  return array<std::vector<std::string>>(key, "an array of strings");
}

std::vector<std::int64_t> GgufMetadata::get_integers(std::string_view key) const {
  if (const auto* integers = std::get_if<std::vector<std::int64_t>>(&entry(key).value))
    return *integers;
  const auto& naturals = array<std::vector<std::uint64_t>>(key, "an array of integers");
  std::vector<std::int64_t> result;
  result.reserve(naturals.size());
  for (const std::uint64_t natural : naturals) {
    if (!std::in_range<std::int64_t>(natural))
      fail(key, fmt::format("{}", natural), "integers below 2^63");
    result.push_back(static_cast<std::int64_t>(natural));
  }
  return result;
}

const std::vector<double>& GgufMetadata::get_floats(std::string_view key) const {
  return array<std::vector<double>>(key, "an array of floats");
}

std::vector<std::int64_t> GgufMetadata::find_integers(std::string_view key) const {
  const GgufEntry* found = find_entry(key);
  if (!found) return {};
  const bool is_one = std::holds_alternative<std::uint64_t>(found->value) ||
                      std::holds_alternative<std::int64_t>(found->value);
  return is_one ? std::vector<std::int64_t>{get<std::int64_t>(key)} : get_integers(key);
}

void GgufMetadata::fail(std::string_view key, std::string found, std::string allowed) const {
  const GgufEntry* blamed = find_entry(key);
  throw_model_file_error(path_, blamed ? blamed->offset : 0,
                         {quoted_key(key), std::move(found), std::move(allowed), kOtherValue});
}

template std::optional<bool> GgufMetadata::find(std::string_view) const;
template std::optional<std::string> GgufMetadata::find(std::string_view) const;
template std::optional<float> GgufMetadata::find(std::string_view) const;
template std::optional<double> GgufMetadata::find(std::string_view) const;
template std::optional<std::int32_t> GgufMetadata::find(std::string_view) const;
template std::optional<std::uint32_t> GgufMetadata::find(std::string_view) const;
template std::optional<std::int64_t> GgufMetadata::find(std::string_view) const;
template std::optional<std::uint64_t> GgufMetadata::find(std::string_view) const;
template bool GgufMetadata::get(std::string_view) const;
template std::string GgufMetadata::get(std::string_view) const;
template float GgufMetadata::get(std::string_view) const;
template double GgufMetadata::get(std::string_view) const;
template std::int32_t GgufMetadata::get(std::string_view) const;
template std::uint32_t GgufMetadata::get(std::string_view) const;
template std::int64_t GgufMetadata::get(std::string_view) const;
template std::uint64_t GgufMetadata::get(std::string_view) const;

}  // namespace speclab::engines
