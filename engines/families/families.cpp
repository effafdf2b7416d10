
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "engines/families/family.h"
#include "engines/families/gguf_shape.h"
#include "engines/families/json_shape.h"
#include "engines/formats/gguf_file.h"
#include "engines/formats/input_file.h"
#include "engines/formats/json_file.h"
#include "engines/models/decoder_shape.h"
#include "sim/system/errors.h"
#include "sim/system/sha256.h"

namespace speclab::engines {

extern const Family kLlama, kMistral, kGranite, kQwen2, kQwen3, kQwen3Moe, kMixtral, kGemma,
    kGemma2, kGemma3, kOlmo2, kPhi1, kPhi3, kStableLmFamily, kGpt2, kOpt, kGptNeox;

namespace {

constexpr const Family* kFamilies[] = {&kLlama,    &kMistral, &kGranite, &kQwen2,          &kQwen3,
                                       &kQwen3Moe, &kMixtral, &kGemma,   &kGemma2,         &kGemma3,
                                       &kOlmo2,    &kPhi1,    &kPhi3,    &kStableLmFamily, &kGpt2,
                                       &kOpt,      &kGptNeox};

constexpr const char* kOtherModel = "choose a model of one of these families";

std::string model_types() {
  std::vector<std::string> names;
  for (const Family* family : kFamilies) names.emplace_back(family->name);
  return fmt::format("{}", fmt::join(names, ", "));
}

std::string architectures() {
  std::vector<std::string> names;
  for (const Family* family : kFamilies)
    if (family->architecture != nullptr) names.emplace_back(family->architecture);
  return fmt::format("{}", fmt::join(names, ", "));
}

const Family* family_of_architecture(const std::string& architecture) {
  for (const Family* family : kFamilies)
    if (family->architecture != nullptr && architecture == family->architecture) return family;
  return nullptr;
}

[[noreturn]] void refuse_kind(const GgufFile& file, const char* field, const std::string& kind,
                              const char* change) {
  throw_model_file_error(file.path(), 0,
                         {field, "'" + escaped(kind, 64) + "'", "a whole language model", change});
}

/// An adapter or a projector has the architecture of its model, and is none.
/// @source the GGUF format, general.type; llama.cpp, LLM_ARCH_CLIP of files named mmproj
void refuse_other_kinds(const GgufFile& file) {
  constexpr const char *kMerge = "merge the adapter into its model and give the merged file",
                       *kLanguageModel =
                           "give the GGUF file of the language model that it came with";
  const auto type = file.metadata().find<std::string>("general.type").value_or("model");
  if (type == "adapter") refuse_kind(file, "general.type", type, kMerge);
  if (type != "model") refuse_kind(file, "general.type", type, kLanguageModel);
  const auto architecture = file.metadata().find<std::string>("general.architecture").value_or("");
  if (architecture == "clip")
    refuse_kind(file, "general.architecture", architecture, kLanguageModel);
}

void read_draft_vocabulary_of(const JsonNode& config, DecoderShape& shape) {
  const auto list = config.find("draft_vocabulary");
  if (!list) return;
  if (!shape.tied_embeddings)
    list->fail("a draft vocabulary beside a head of its own",
               "tie_word_embeddings true, whose rows for these tokens are the head");
  shape.draft_vocabulary = read_draft_vocabulary(*list, shape.vocab_size);
}

}  // namespace

std::span<const Family* const> families() { return kFamilies; }

const Family* family_named(const std::string& model_type) {
  for (const Family* family : kFamilies)
    if (model_type == family->name) return family;
  return nullptr;
}

DecoderShape shape_from_gguf(const GgufFile& file) {
  refuse_other_kinds(file);
  const auto architecture = file.metadata().get<std::string>("general.architecture");
  const Family* family = family_of_architecture(architecture);
  if (family == nullptr)
    throw_model_file_error(file.path(), 0,
                           {"general.architecture", "'" + escaped(architecture, 64) + "'",
                            architectures(), kOtherModel});
  const GgufShape metadata(file, architecture);
  DecoderShape shape = family->from_gguf(metadata);
  metadata.refuse_unread();
  shape.family = family->name;
  if (shape.name.empty()) shape.name = family->name;
  shape.validate(file.path());
  return shape;
}

DecoderShape shape_from_json(const std::string& path) {
  const nlohmann::json root = read_json_file(path);
  const JsonNode config(root, path);
  const std::string& type = config.at("model_type").as_string();
  const Family* family = family_named(type);
  if (family == nullptr)
    throw_model_file_error(
        path, 0, {"model_type", "'" + escaped(type, 64) + "'", model_types(), kOtherModel});
  const JsonShape fields(config);
  refuse_other_tasks(fields);
  DecoderShape shape = family->from_json(fields);
  refuse_contradictions(fields, shape);
  shape.family = family->name;
  read_draft_vocabulary_of(config, shape);
  shape.config_sha256 = sha256_file(path);
  shape.validate(path);
  return shape;
}

}  // namespace speclab::engines
