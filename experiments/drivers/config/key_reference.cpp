#include "experiments/drivers/config/key_reference.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

namespace speclab::experiments {
namespace {

/// Type, unit, kinds that have it.
std::string allowed_text(const DescribedKey& key) {
  std::string text = key.type;
  if (!key.doc.unit.empty()) text += ", in " + key.doc.unit;
  if (!key.doc.only_for.empty()) text += "; only for " + key.doc.only_for;
  return key.doc.is_axis ? text + "; an axis" : text;
}

std::string without_marks(std::string text) {
  std::erase(text, '`');
  return text;
}

/// A value stands as code, words about it do not.
std::string default_markdown(const DescribedKey& key) {
  return key.doc.default_text.empty() && key.default_value != "none" ? "`" + key.default_value + "`"
                                                                     : key.default_value;
}

}  // namespace

std::string reference_text(const std::vector<DescribedKey>& keys) {
  std::string text;
  for (const DescribedKey& key : keys)
    text += fmt::format("{} = {}\n    {}\n    {}\n", key.doc.name(), key.default_value,
                        allowed_text(key), without_marks(key.doc.meaning));
  return text;
}

std::string reference_json(const std::vector<DescribedKey>& keys) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const DescribedKey& key : keys)
    list.push_back({{"key", key.doc.name()},
                    {"type", key.type},
                    {"unit", key.doc.unit},
                    {"default", key.default_value},
                    {"only_for", key.doc.only_for},
                    {"is_axis", key.doc.is_axis},
                    {"meaning", without_marks(key.doc.meaning)}});
  return list.dump(2);
}

std::string reference_markdown(const std::vector<DescribedKey>& keys) {
  std::string text = "| key | allowed | default | meaning |\n|---|---|---|---|\n";
  for (const DescribedKey& key : keys)
    text += fmt::format("| `{}` | {} | {} | {} |\n", key.doc.name(), allowed_text(key),
                        default_markdown(key), key.doc.meaning);
  return text;
}

std::string reference_names(const std::vector<DescribedKey>& keys) {
  std::string text, table;
  for (const DescribedKey& key : keys) {
    if (text.empty() || key.doc.table != table)
      text += fmt::format("{}{}: {}", text.empty() ? "" : "\n",
                          key.doc.table.empty() ? "at the top" : key.doc.table, key.doc.key);
    else if (text.find(", " + key.doc.key, text.rfind('\n') + 1) == std::string::npos)
      text += ", " + key.doc.key;
    table = key.doc.table;
  }
  return text;
}

std::string key_names_footer(const std::vector<DescribedKey>& keys) {
  return "\n\nKeys of a config, as speclab config --describe explains them:\n" +
         reference_names(keys);
}

}  // namespace speclab::experiments
