#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "experiments/drivers/commands/tokenize.h"
#include "experiments/drivers/engines_loader.h"

namespace speclab::experiments {
namespace {

using Json = nlohmann::ordered_json;

Json list_json(const std::vector<engines::KnownModel>& models) {
  Json list = Json::array();
  for (const engines::KnownModel& model : models) {
    Json entry = {{"name", model.name}, {"description", model.description}};
    entry["is_there"] = model.fetched_by.empty();
    if (!model.fetched_by.empty()) entry["fetched_by"] = model.fetched_by;
    list.push_back(std::move(entry));
  }
  return {{"models", std::move(list)}};
}

int list_models(const std::vector<engines::KnownModel>& models, bool json) {
  if (json) {
    fmt::print("{}\n", list_json(models).dump());
    return 0;
  }
  for (const engines::KnownModel& model : models)
    fmt::print("{:<20} {}{}\n", model.name, model.description,
               model.fetched_by.empty() ? "" : "; not here, run " + model.fetched_by);
  return 0;
}

Json stored_json(const std::vector<engines::StoredWeights>& types) {
  Json list = Json::array();
  for (const engines::StoredWeights& stored : types)
    list.push_back(
        {{"type", stored.type}, {"tensors", stored.num_tensors}, {"bytes", stored.bytes}});
  return list;
}

/// What is known of the tokenizer, its special tokens and its chat template.
void add_tokenizer(Json& page, const engines::Tokenizer* tokenizer) {
  page["tokenizer"] = tokenizer ? Json(true) : Json(false);
  if (!tokenizer) return;
  page["tokenizer_size"] = tokenizer->vocab_size();
  const auto begin = tokenizer->begin_of_sequence();
  page["begin_of_sequence"] = begin ? Json(*begin) : Json(nullptr);
  Json ends = Json::array();
  for (Token token = 0; token < tokenizer->vocab_size(); ++token)
    if (tokenizer->is_end_of_sequence(token)) ends.push_back(token);
  page["ends"] = std::move(ends);
  page["chat_template"] = tokenizer->has_chat_template();
}

/// What a person may miss, and what happens instead.
Json lacking(const engines::LoadedModel& loaded) {
  Json list = Json::array();
  if (!loaded.tokenizer) {
    list.push_back("no tokenizer: prompts are ids");
  } else if (!loaded.tokenizer->has_chat_template()) {
    list.push_back("no chat template: prompts go in as they are");
  }
  if (loaded.model->info().random_weights) list.push_back("random weights: the text means nothing");
  return list;
}

Json inspected(engines::Engines& engines, const engines::ModelOptions& options) {
  const engines::LoadedModel loaded = engines.load_model(options);
  const engines::ModelInfo& info = loaded.model->info();
  Json page = {{"name", info.name},
               {"family", info.family},
               {"parameters", info.num_parameters},
               {"layers", info.num_layers},
               {"hidden_size", info.hidden_size},
               {"vocab_size", info.vocab_size},
               {"context_length", info.context_length},
               {"dtype", info.dtype},
               {"device", info.device},
               {"kernels", info.kernels},
               {"weight_bytes", info.weight_bytes},
               {"stored", stored_json(engines.stored_weights(options.model))},
               {"sha256", info.sha256}};
  add_tokenizer(page, loaded.tokenizer.get());
  page["lacking"] = lacking(loaded);
  return page;
}

/// A value for people: lists with commas, yes and no, a dash for nothing.
std::string in_words(const Json& value) {
  if (value.is_null()) return "-";
  if (value.is_boolean()) return value.get<bool>() ? "yes" : "no";
  if (value.is_string()) return value.get<std::string>();
  if (value.is_object())
    return fmt::format("{} ({} tensors, {} bytes)", value.at("type").get<std::string>(),
                       value.at("tensors").dump(), value.at("bytes").dump());
  if (!value.is_array()) return value.dump();
  std::string list;
  for (const Json& element : value) list += (list.empty() ? "" : ", ") + in_words(element);
  return list.empty() ? "-" : list;
}

}  // namespace

int run_models(const ModelsOptions& options) {
  const auto engines = open_engines();
  if (options.inspect.empty()) return list_models(engines->known_models(), options.common.json);
  engines::ModelOptions model_options = options.common.model;
  model_options.model = options.inspect;
  const Json page = inspected(*engines, model_options);
  if (options.common.json) {
    fmt::print("{}\n", page.dump());
    return 0;
  }
  for (const auto& [key, value] : page.items()) fmt::print("{:<18}{}\n", key, in_words(value));
  return 0;
}

}  // namespace speclab::experiments
