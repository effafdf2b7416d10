#include "experiments/drivers/commands/train_config.h"

#include <fmt/format.h>

#include <filesystem>
#include <toml++/toml.h>

#include "sim/core/errors.h"

namespace speclab::experiments {
namespace {

std::string position(const std::string& path, const toml::source_region& region) {
  return fmt::format("{}:{}:{}", path, region.begin.line, region.begin.column);
}

toml::table parse(const std::string& path) {
  try {
    return toml::parse_file(path);
  } catch (const toml::parse_error& error) {
    throw ConfigError(fmt::format("{}: {}", position(path, error.source()), error.description()));
  }
}

/// Reads the keys of one table; every key must have been asked for by the time `finish` is called.
class TableReader {
 public:
  TableReader(const toml::table& table, std::string path) : table_(table), path_(std::move(path)) {}

  template <typename T>
  void read(const char* key, T& value) {
    known_.emplace_back(key);
    const toml::node* node = table_.get(key);
    if (!node) return;
    const auto found = node->value_exact<std::conditional_t<std::is_integral_v<T>, std::int64_t, std::conditional_t<std::is_floating_point_v<T>, double, T>>>();
    if (found) value = static_cast<T>(*found);
    else if (std::is_floating_point_v<T> && node->is_integer()) read_integer_as_real(*node, value);
    else throw ConfigError(fmt::format("{}: {} has the wrong type", position(path_, node->source()), key));
  }
  void read_reals(const char* key, std::vector<double>& values) { read_array(key, values, "numbers"); }
  void read_strings(const char* key, std::vector<std::string>& values) { read_array(key, values, "strings"); }

  void finish() const {
    for (const auto& [key, node] : table_)
      if (std::find(known_.begin(), known_.end(), key.str()) == known_.end())
        throw ConfigError(fmt::format("{}: unknown key {}; allowed: {}", position(path_, key.source()), key.str(), fmt::join(known_, ", ")));
  }

 private:
  template <typename T>
  static void read_integer_as_real(const toml::node& node, T& value) {
    if constexpr (std::is_floating_point_v<T>) value = static_cast<T>(*node.value<double>());
  }

  template <typename T>
  void read_array(const char* key, std::vector<T>& values, const char* allowed) {
    known_.emplace_back(key);
    const toml::node* node = table_.get(key);
    if (!node) return;
    const toml::array* array = node->as_array();
    values.clear();
    for (std::size_t i = 0; array && i < array->size(); ++i)
      if (const auto value = array->get(i)->value<T>()) values.push_back(*value);
    if (!array || values.empty() || values.size() != array->size())
      throw ConfigError(fmt::format("{}: {}; allowed: a list of {}", position(path_, node->source()), key, allowed));
  }

  const toml::table& table_;
  std::string path_;
  std::vector<std::string> known_;
};

std::string filled(std::string pattern, const std::string& slot, const std::string& text) {
  if (const std::size_t at = pattern.find(slot); at != std::string::npos) pattern.replace(at, slot.size(), text);
  return pattern;
}

std::vector<std::string> make_prompts(const std::string& path, std::size_t count) {
  const toml::table table = parse(path);
  std::vector<std::string> templates, topics, passages;
  TableReader reader(table, path);
  reader.read_strings("templates", templates);
  reader.read_strings("topics", topics);
  reader.read_strings("passages", passages);
  reader.finish();
  if (templates.empty() || topics.empty() || passages.empty()) throw ConfigError(fmt::format("{}: templates, topics and passages are needed", path));
  std::vector<std::string> prompts;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t turn = i / templates.size();
    const std::string& pattern = templates[i % templates.size()];
    prompts.push_back(filled(filled(pattern, "{topic}", topics[(turn + 7 * i) % topics.size()]), "{passage}", passages[(turn + 5 * i) % passages.size()]));
  }
  return prompts;
}

void read_drafter(const toml::table& table, const std::string& path, engines::TrainOptions& options) {
  TableReader reader(table, path);
  engines::SmallTransformerOptions& model = options.small_transformer;
  reader.read("kind", options.drafter);
  reader.read("output", options.output);
  reader.read("max_successors", options.max_successors);
  reader.read("hidden_size", model.hidden_size);
  reader.read("num_layers", model.num_layers);
  reader.read("num_heads", model.num_heads);
  reader.read("intermediate_size", model.intermediate_size);
  reader.read("batch", model.batch);
  reader.read("learning_rate", model.learning_rate);
  reader.read("weight_decay", model.weight_decay);
  reader.read("epochs", model.epochs);
  reader.read("max_minutes", model.max_minutes);
  reader.read("validation_sequences", model.validation_sequences);
  reader.read("seed", model.seed);
  reader.finish();
}

}  // namespace

TrainConfig read_train_config(const std::string& path) {
  const toml::table root = parse(path);
  TrainConfig config;
  config.target.model = "smollm2-135m";
  std::string prompt_file = "../prompts/train.toml";
  std::int64_t num_prompts = 1000;
  for (const auto& [key, node] : root) {
    const toml::table* table = node.as_table();
    if (!table || (key != "target" && key != "own_text" && key != "drafter"))
      throw ConfigError(fmt::format("{}: unknown key {}; allowed: [target], [own_text], [drafter]", position(path, key.source()), key.str()));
    if (key == "drafter") {
      read_drafter(*table, path, config.options);
      continue;
    }
    TableReader reader(*table, path);
    if (key == "target") {
      reader.read("model", config.target.model);
      reader.read("dtype", config.target.dtype);
    } else {
      reader.read("prompts", prompt_file);
      reader.read("num_prompts", num_prompts);
      reader.read_reals("temperatures", config.options.own_text.temperatures);
      reader.read("max_new_tokens", config.options.own_text.max_new_tokens);
      reader.read("batch", config.options.own_text.batch);
      reader.read("seed", config.options.own_text.seed);
      reader.read("cache_file", config.options.own_text.cache_file);
    }
    reader.finish();
  }
  if (num_prompts < 1) throw ConfigError(fmt::format("{}: num_prompts = {}; allowed: integers >= 1", path, num_prompts));
  config.prompts = make_prompts((std::filesystem::path(path).parent_path() / prompt_file).string(), static_cast<std::size_t>(num_prompts));
  return config;
}

}  // namespace speclab::experiments
