// The whole losslessness run (scripts/losslessness): at temperature 0 every drafter, tree and rule
// must give plain decoding's tokens on the default model, for the core prompts. `drafters` are all
// drafters and trees under the ratio test, in float32 and in bfloat16; `features` those that read
// hidden states, alike; `rules` every other lossless rule with every drafter, in bfloat16. Plain
// decoding runs prompt by prompt, speculative decoding in batches of a category, so batches are
// covered too. Usage: losslessness drafters|features|rules OUTPUT.csv [PROMPTS_PER_CATEGORY
// [NEW_TOKENS]]; ends 1 if any token differs.

#include <fmt/format.h>
#include <speclab_revision.h>

#include <charconv>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <map>

#include "engines/interface/chat_request.h"
#include "engines/interface/names.h"
#include "experiments/drivers/program/engines_loader.h"
#include "experiments/drivers/prompts/prompt_set.h"
#include "sim/policies/simple_policies.h"
#include "sim/system/errors.h"
#include "sim/system/files.h"

namespace speclab::experiments {
namespace {

constexpr const char* kHeader =
    "date,revision,model_sha256,kernels,dtype,verifier,drafter,tree,speculation_length,"
    "prompts,tokens,different_tokens,rounds,drafted,accepted,accepted_lengths\n";

struct Mode {
  const char* drafter;
  const char* tree;
  int speculation_length;
  const char* verifier = "rejection";
};
const std::vector<Mode> kDrafterModes{
    {"none", "chain", 4},
    {"unigram", "chain", 4},
    {"bigram", "chain", 4},
    {"ngram", "chain", 4},
    {"lookup_ngram", "chain", 8},
    {"prompt_lookup", "chain", 5},
    {"prompt_lookup", "chain", 10},
    {"small_transformer", "chain", 4},
    {"small_transformer", "2x2x1", 3},
    {"small_transformer", "4x1x1", 3},
    {"small_transformer", "parents:0,0,0,1,1,2,4", 3},
};

const std::vector<Mode> kFeatureModes{{"feature_transformer", "chain", 4},
                                      {"feature_transformer", "2x2x1", 3},
                                      {"feature_transformer", "best_first:8", 4},
                                      {"lookup_transformer", "chain", 8},
                                      {"mlp_speculator", "chain", 3},
                                      {"mlp_speculator", "3x1x2", 3}};

std::vector<Mode> rule_modes() {
  std::vector<Mode> modes;
  for (const char* verifier : engines::kLosslessVerifierKinds) {
    const std::string_view name = verifier;
    if (name == "rejection") continue;
    for (const Mode& chain : {Mode{"bigram", "chain", 4},
                              {"prompt_lookup", "chain", 8},
                              {"lookup_ngram", "chain", 8},
                              {"small_transformer", "chain", 4}})
      modes.push_back({chain.drafter, chain.tree, chain.speculation_length, verifier});
    for (const char* tree : {"2x2x1", "4x1x1"})
      if (name != "block") modes.push_back({"small_transformer", tree, 3, verifier});
  }
  return modes;
}

/// What is compared, and in which number formats.
struct Comparison {
  std::vector<Mode> modes;
  std::vector<const char*> dtypes;
};

Comparison comparison_named(const std::string& name) {
  if (name == "drafters") return {kDrafterModes, {"float32", "bfloat16"}};
  if (name == "features") return {kFeatureModes, {"float32", "bfloat16"}};
  if (name == "rules") return {rule_modes(), {"bfloat16"}};
  throw ConfigError("losslessness of '" + escaped(name) + "'; allowed: drafters, features, rules");
}

/// The requests of one category.
using Batch = std::vector<engines::Request>;

std::vector<Batch> read_batches(const engines::Tokenizer& tokenizer, int per_category) {
  std::vector<Batch> batches;
  std::string category;
  std::uint32_t id = 0;
  for (const Prompt& prompt : read_prompts({.set = "core", .per_category = per_category})) {
    if (prompt.category != category) batches.emplace_back();
    category = prompt.category;
    const std::string text =
        tokenizer.apply_chat_template(engines::ChatRequest::of_user(prompt.text));
    batches.back().push_back({id++, tokenizer.encode(text, engines::SpecialText::parsed)});
  }
  return batches;
}

/// Tokens of all sequences in one list, and what the rounds did.
struct Outcome {
  std::vector<Token> tokens;
  std::int64_t rounds = 0, drafted = 0, accepted = 0;
  std::map<std::int32_t, std::int64_t> accepted_lengths;  ///< rounds by what they accepted
};

void decode(engines::RoundDecoder& decoder, const Batch& batch, int speculation_length,
            Outcome& outcome) {
  decoder.begin(batch, ConstantPolicy(speculation_length));
  while (decoder.round()) {
  }
  for (const GenerationRecord& record : decoder.records()) {
    outcome.tokens.insert(outcome.tokens.end(), record.output_ids.begin(), record.output_ids.end());
    for (const RoundRecord& round : record.rounds) {
      ++outcome.rounds;
      outcome.drafted += round.drafted;
      outcome.accepted += round.accepted;
      ++outcome.accepted_lengths[round.accepted];
    }
  }
}

std::int64_t num_different(const std::vector<Token>& a, const std::vector<Token>& b) {
  SPECLAB_EXPECT(a.size() == b.size(), "both decoders give the tokens asked for");
  std::int64_t different = 0;
  for (std::size_t i = 0; i < a.size(); ++i) different += a[i] != b[i];
  return different;
}

std::string today() {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  char text[16];
  std::strftime(text, sizeof text, "%Y-%m-%d", std::gmtime(&now));
  return text;
}

/// "0:310 1:42": rounds by accepted length.
std::string counts_text(const std::map<std::int32_t, std::int64_t>& counts) {
  std::string text;
  for (const auto& [length, count] : counts)
    text += fmt::format("{}{}:{}", text.empty() ? "" : " ", length, count);
  return text;
}

class Run {
 public:
  /// Rows go to a file beside `path`, which takes its place when all are there.
  Run(std::string path, int per_category, int new_tokens)
      : path_(std::move(path)), per_category_(per_category), new_tokens_(new_tokens) {
    read_prompts({.set = "core", .per_category = per_category_});  // refuses more than there are
    write_file(unfinished(), kHeader);
  }

  void finish() const { std::filesystem::rename(unfinished(), path_); }

  /// @return tokens that differ, over all modes
  std::int64_t compare_all(const std::vector<Mode>& modes, const std::string& dtype) {
    const auto engines = open_engines();
    const auto loaded =
        engines->load_model({.model = "smollm2-135m", .device = "cpu", .dtype = dtype});
    const std::vector<Batch> batches = read_batches(*loaded.tokenizer, per_category_);
    const auto plain_decoder =
        engines->make_decoder(*loaded.model, nullptr, options({"plain", "chain", 0}));
    Outcome plain;
    for (const Batch& batch : batches)
      for (const engines::Request& request : batch) decode(*plain_decoder, {request}, 0, plain);
    std::int64_t different = 0;
    for (const Mode& mode : modes) {
      const auto decoder = engines->make_decoder(*loaded.model, nullptr, options(mode));
      Outcome outcome;
      for (const Batch& batch : batches) decode(*decoder, batch, mode.speculation_length, outcome);
      different += write_row(loaded.model->info(), mode, outcome,
                             num_different(plain.tokens, outcome.tokens));
    }
    return different;
  }

 private:
  std::string unfinished() const { return path_ + ".unfinished"; }

  engines::DecoderOptions options(const Mode& mode) const {
    return {.sampling = {.temperature = 0},
            .stop = {.max_new_tokens = new_tokens_, .ignore_eos = true},
            .drafter = {.kind = mode.drafter, .tree = mode.tree},
            .verifier = mode.verifier};
  }

  std::int64_t write_row(const engines::ModelInfo& model, const Mode& mode, const Outcome& outcome,
                         std::int64_t different) {
    const std::string row = fmt::format(
        "{},{},{},{},{},{},{},\"{}\",{},{},{},{},{},{},{},{}\n", today(), SPECLAB_REVISION,
        model.sha256, model.kernels, model.dtype, mode.verifier, mode.drafter, mode.tree,
        mode.speculation_length, outcome.tokens.size() / static_cast<std::size_t>(new_tokens_),
        outcome.tokens.size(), different, outcome.rounds, outcome.drafted, outcome.accepted,
        counts_text(outcome.accepted_lengths));
    append_file(unfinished(), row);
    std::fputs(row.c_str(), stderr);
    return different;
  }

  std::string path_;
  int per_category_, new_tokens_;
};

int count(const char* name, const std::string& text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 1)
    throw ConfigError(fmt::format("{} '{}'; allowed: integers >= 1", name, escaped(text)));
  return value;
}

int run(int argc, char** argv) {
  if (argc < 3 || argc > 5)
    throw ConfigError(
        "usage: losslessness drafters|rules OUTPUT.csv [PROMPTS_PER_CATEGORY [NEW_TOKENS]]");
  const Comparison comparison = comparison_named(argv[1]);
  Run run(argv[2], argc > 3 ? count("PROMPTS_PER_CATEGORY", argv[3]) : 7,
          argc > 4 ? count("NEW_TOKENS", argv[4]) : 128);
  std::int64_t different = 0;
  for (const char* dtype : comparison.dtypes) different += run.compare_all(comparison.modes, dtype);
  run.finish();
  std::fprintf(stderr, "%lld tokens differ\n", static_cast<long long>(different));
  return different == 0 ? 0 : 1;
}

}  // namespace
}  // namespace speclab::experiments

int main(int argc, char** argv) {
  try {
    return speclab::experiments::run(argc, argv);
  } catch (const speclab::Error& error) {
    std::fprintf(stderr, "losslessness: %s\n", error.what());
    return static_cast<int>(error.code());
  }
}
