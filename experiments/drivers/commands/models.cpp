#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "experiments/drivers/commands/commands.h"
#include "experiments/drivers/commands/drafter_folders.h"
#include "experiments/drivers/program/engines_loader.h"
#include "experiments/drivers/program/loading_note.h"
#include "sim/system/data_folder.h"
#include "sim/system/errors.h"
#include "sim/system/versions.h"

namespace speclab::experiments {
namespace {

using Json = nlohmann::ordered_json;

/// Folders of n-grams, which have no name: those that came with the program, and those that were
/// trained here.
std::vector<std::string> ngram_folders() {
  std::vector<std::string> found;
  for (const std::string& folder : {data_folder() + "/results/models", std::string("results/runs")})
    for (const std::string& drafter : drafter_folders(folder))
      if (const auto page = described_drafter(drafter); page && page->at("kind") == "ngram")
        found.push_back(drafter);
  return found;
}

Json list_json(const std::vector<engines::KnownModel>& models) {
  Json list = Json::array(), ngrams = Json::array();
  for (const engines::KnownModel& model : models) {
    Json entry = {{"name", model.name}, {"description", model.description}};
    entry["is_there"] = model.fetched_by.empty();
    if (!model.fetched_by.empty()) entry["fetched_by"] = model.fetched_by;
    list.push_back(std::move(entry));
  }
  for (const std::string& folder : ngram_folders())
    ngrams.push_back({{"folder", escaped(folder, kLongestPath)},
                      {"target", described_drafter(folder)->at("target")}});
  return {{"models", std::move(list)}, {"ngrams", std::move(ngrams)}};
}

Json stored_json(const std::vector<engines::StoredWeights>& types) {
  Json list = Json::array();
  for (const engines::StoredWeights& stored : types)
    list.push_back(
        {{"type", stored.type}, {"tensors", stored.num_tensors}, {"bytes", stored.bytes}});
  return list;
}

Json ends_json(const engines::Tokenizer& tokenizer) {
  Json list = Json::array();
  for (const engines::EndToken& end : tokenizer.roles().ends)
    list.push_back({{"id", end.id},
                    {"text", escaped(tokenizer.token_text(end.id))},
                    {"found_in", end.found_in}});
  return list;
}

Json special_tokens_json(const engines::TokenRoles& roles) {
  Json list = Json::array();
  for (const engines::SpecialTokenText& token : roles.texts)
    list.push_back(
        {{"role", token.role}, {"text", escaped(token.text)}, {"found_in", token.found_in}});
  return list;
}

Json templates_json(const engines::TokenRoles& roles) {
  Json list = Json::array();
  for (const engines::TemplateSource& source : roles.templates)
    list.push_back({{"name", escaped(source.name)}, {"found_in", source.found_in}});
  return list;
}

/// What is known of the tokenizer, its special tokens and its chat templates.
void add_tokenizer(Json& page, const engines::Tokenizer* tokenizer) {
  page["tokenizer"] = nullptr;
  if (!tokenizer) return;
  const engines::TokenRoles& roles = tokenizer->roles();
  page["tokenizer"] = roles.kind;
  page["tokenizer_size"] = tokenizer->vocab_size();
  page["ends"] = ends_json(*tokenizer);
  page["special_tokens"] = special_tokens_json(roles);
  page["before_a_text"] = roles.before;
  page["after_a_text"] = roles.after;
  page["chat_templates"] = templates_json(roles);
}

/// What a person may miss, and what happens instead.
Json lacking(const engines::InspectedModel& model) {
  Json list = Json::array();
  if (!model.tokenizer_problem.empty()) {
    list.push_back("no text, prompts are ids: " + model.tokenizer_problem);
  } else if (!model.tokenizer) {
    list.push_back("no tokenizer: prompts are ids");
  } else if (!model.tokenizer->has_chat_template()) {
    list.push_back("no chat template: prompts go in as they are");
  }
  if (model.tokenizer && model.tokenizer->vocab_size() > model.info.vocab_size)
    list.push_back(fmt::format(
        "rows for all tokens: the tokenizer has {}, the model {}; text with one of the others is "
        "refused",
        model.tokenizer->vocab_size(), model.info.vocab_size));
  if (model.info.random_weights) list.push_back("random weights: the text means nothing");
  if (!model.info.widened_from.empty())
    list.push_back(
        "acceptance, attention and head of a larger model: text and acceptance are those of the "
        "model that was widened, and its heads and vocabulary stay");
  return list;
}

Json inspected(engines::Engines& engines, const engines::ModelOptions& options) {
  const engines::InspectedModel model = engines.inspect_model(options);
  const engines::ModelInfo& info = model.info;
  note_int8(info);
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
  if (!info.widened_from.empty()) page["widened_from"] = info.widened_from;
  add_tokenizer(page, model.tokenizer.get());
  page["lacking"] = lacking(model);
  return page;
}

/// Types by their sizes, other things by their values, with the place where they were found.
std::string object_in_words(const Json& object) {
  if (object.contains("tensors"))
    return fmt::format("{} ({} tensors, {} bytes)", object.at("type").get<std::string>(),
                       object.at("tensors").dump(), object.at("bytes").dump());
  std::string words;
  for (const auto& [key, value] : object.items())
    if (key != "found_in")
      words += (words.empty() ? "" : " ") +
               (value.is_string() ? value.get<std::string>() : value.dump());
  return words + " (" + object.at("found_in").get<std::string>() + ")";
}

constexpr const char* kLegend =
    "parameters    values of all tensors; a head that is stored beside the embedding counts too\n"
    "weight_bytes  bytes of weights that a pass over one token reads, as they are in memory\n"
    "stored        types in the file, with their tensors and bytes\n"
    "ends          tokens that end a text, with the file that says so\n"
    "-             none\n";

/// A value for people: lists with commas, a dash for nothing.
std::string in_words(const Json& value) {
  if (value.is_null()) return "-";
  if (value.is_string()) return value.get<std::string>();
  if (value.is_object()) return object_in_words(value);
  if (!value.is_array()) return value.dump();
  std::string list;
  for (const Json& element : value) list += (list.empty() ? "" : ", ") + in_words(element);
  return list.empty() ? "-" : list;
}

int list_models(const std::vector<engines::KnownModel>& models, bool json) {
  if (json) {
    fmt::print("{}\n", list_json(models).dump());
    return 0;
  }
  for (const engines::KnownModel& model : models)
    fmt::print("{:<20} {}{}\n", model.name, model.description,
               model.fetched_by.empty() ? "" : "; not here, run " + model.fetched_by);
  const Json ngrams = list_json(models).at("ngrams");
  if (!ngrams.empty()) fmt::print("\nN-grams, for --drafter ngram --drafter-model FOLDER:\n");
  for (const Json& entry : ngrams)
    fmt::print("{}, drafts for {}\n", in_words(entry.at("folder")), in_words(entry.at("target")));
  return 0;
}

/// The path of a known name or of its version.
std::string path_of(const std::string& model, const std::vector<engines::KnownModel>& known) {
  for (const engines::KnownModel& entry : known)
    if (entry.name == model) return entry.path;
  const std::string version = data_folder() + "/results/models/" + model;
  std::error_code none;
  const bool is_known = version_of_path(model) > 0 && std::filesystem::is_directory(version, none);
  return is_known ? version : model;
}

/// A small transformer is a model by itself; the other drafters are what their manifests tell.
Json page_of(engines::Engines& engines, const engines::ModelOptions& options) {
  auto drafter = described_drafter(path_of(options.model, engines.known_models()));
  if (drafter && drafter->at("kind") != "small_transformer") {
    (*drafter)["draft_with"] =
        fmt::format("--drafter {} --drafter-model {}", drafter->at("kind").get<std::string>(),
                    escaped(options.model, kLongestPath));
    return *std::move(drafter);
  }
  Json page = inspected(engines, options);
  if (drafter) page["drafts_for"] = drafter->at("target");
  return page;
}

}  // namespace

int run_models(const ModelsOptions& options) {
  const auto engines = open_engines();
  if (options.inspect.empty()) return list_models(engines->known_models(), options.common.json);
  engines::ModelOptions model_options = options.common.model;
  model_options.model = options.inspect;
  const Json page = page_of(*engines, model_options);
  if (options.common.json) {
    fmt::print("{}\n", page.dump());
    return 0;
  }
  for (const auto& [key, value] : page.items()) fmt::print("{:<18}{}\n", key, in_words(value));
  if (page.contains("weight_bytes")) fmt::print("\n{}", kLegend);
  return 0;
}

}  // namespace speclab::experiments
