#include "tests/engines/exactness/decoder_law.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engines/decoding/host_round_decoder.h"
#include "engines/drafters/drafters.h"
#include "engines/sampling/logits_pipeline.h"
#include "sim/core/forking_chance.h"
#include "sim/policies/simple_policies.h"
#include "sim/system/errors.h"
#include "tests/engines/decoding/letter_tokenizer.h"
#include "tests/engines/drafters/ngram_drafting.h"
#include "tests/engines/drafters/string_tokenizer.h"
#include "tests/engines/exactness/world_model.h"
#include "tests/engines/models/tiny_llama.h"

namespace speclab::engines::testing {
namespace {

using speclab::testing::joined;
using speclab::testing::max_difference;
using speclab::testing::SmallWorld;
using speclab::testing::Tokens;
using speclab::testing::total_mass;

/// Outputs of a batch in one list, each closed by -1.
Tokens flat(const std::vector<GenerationRecord>& records) {
  Tokens all;
  for (const GenerationRecord& record : records) {
    all.insert(all.end(), record.output_ids.begin(), record.output_ids.end());
    all.push_back(-1);
  }
  return all;
}

DecoderShape llama_config(int vocab_size) {
  DecoderShape config = tiny_config();
  config.vocab_size = vocab_size;
  config.num_layers = 1;
  return config;
}

/// The models of a case, and the target's logits after a text, by a way that shares nothing with
/// the decoder.
class ModelsOfCase final : public DrafterModels {
 public:
  explicit ModelsOfCase(const DecoderCase& example) : example_(example) {
    if (example.models == Models::world) {
      target_ = make_world_model(SmallWorld(example.world), Side::target);
      drafter_ = make_world_model(SmallWorld(example.world), Side::draft);
    } else {
      const DecoderShape config = llama_config(example.world.vocab_size);
      target_ = tiny_model(config, {.weights = {.scale = 6.0f}});
      drafter_ = tiny_model(config, {.weights = {.scale = 6.0f, .foreign = 0.5f}});
    }
  }

  LanguageModel& target() { return *target_; }
  std::shared_ptr<LanguageModel> language_model(const std::string&, const std::string&) override {
    return drafter_;
  }
  /// The drafter's tokens are texts of one letter or two, one of which the target has not; a letter
  /// of the target is in none of them.
  std::optional<Bridged> bridged(const DecoderOptions& options) override {
    const std::string& kind = options.drafter.bridge;
    if (kind == "auto") return std::nullopt;
    const TokenizerPair tokenizers{
        std::make_shared<StringTokenizer>(std::vector<std::string>{"b", "ca", "a"}),
        std::make_shared<LetterTokenizer>(example_.world.vocab_size, example_.end_token)};
    return Bridged{drafter_,
                   {kind, tokenizers,
                    std::make_shared<SharedVocabulary>(*tokenizers.drafter, *tokenizers.target)}};
  }
  std::shared_ptr<MlpSpeculator> mlp_speculator(const std::string&) override {
    throw ContractError("no case drafts with it");
  }
  std::shared_ptr<const NgramModel> ngrams(const std::string& kind, const std::string&) override {
    const std::int32_t order = kind == "unigram" ? 1 : kind == "bigram" ? 2 : 5;
    return ngrams_of({{0, 1, 1, 0, 1, 0, 0, 1}}, example_.world.vocab_size,
                     {.order = order, .max_successors = 2});
  }

  std::vector<double> target_logits(const Tokens& text) {
    std::vector<double> logits;
    if (example_.models == Models::world) {
      for (const double p : SmallWorld(example_.world).target(text)) logits.push_back(std::log(p));
    } else {
      const std::vector<float> last = logits_of(*target_, text).back();
      logits.assign(last.begin(), last.end());
    }
    return logits;
  }

 private:
  const DecoderCase& example_;
  std::unique_ptr<LanguageModel> target_;
  std::shared_ptr<LanguageModel> drafter_;
};

/// The law of plain decoding, token after token from the target's logits and the processors in
/// double, without a decoder.
class PlainLaw {
 public:
  PlainLaw(const DecoderCase& example, ModelsOfCase& models)
      : example_(example), models_(models), pipeline_(example.options.sampling) {}

  std::map<Tokens, double> of_batch() {
    std::map<Tokens, double> law{{{}, 1.0}};
    for (const Tokens& prompt : example_.prompts) {
      outputs_.clear();
      extend(prompt, {}, 1.0);
      std::map<Tokens, double> longer;
      for (const auto& [before, p] : law)
        for (const auto& [output, q] : outputs_) longer[joined(before, output)] += p * q;
      law = std::move(longer);
    }
    return law;
  }

 private:
  bool ends(const Tokens& output) const {
    std::string text;
    for (const Token token : output) text += LetterTokenizer::letter(token);
    const StopOptions& stop = example_.options.stop;
    const bool stopped = std::ranges::any_of(
        stop.stop_strings, [&](const std::string& string) { return text.ends_with(string); });
    return stopped || output.back() == example_.end_token ||
           output.size() == static_cast<std::size_t>(stop.max_new_tokens);
  }

  void extend(const Tokens& text, const Tokens& output, double probability) {
    BasicLaw<double> law;
    pipeline_.law(models_.target_logits(text), text, law);
    for (Token token = 0; static_cast<std::size_t>(token) < law.vocab_size(); ++token) {
      if (!(law[token] > 0.0)) continue;
      const Tokens longer = joined(output, {token});
      if (ends(longer))
        outputs_[joined(longer, {-1})] += probability * law[token];
      else
        extend(joined(text, {token}), longer, probability * law[token]);
    }
  }

  const DecoderCase& example_;
  ModelsOfCase& models_;
  BasicLogitsPipeline<double> pipeline_;
  std::map<Tokens, double> outputs_;
};

std::vector<Request> requests_of(const DecoderCase& example) {
  std::vector<Request> requests;
  for (const Tokens& prompt : example.prompts)
    requests.push_back({static_cast<std::uint32_t>(requests.size()), prompt});
  return requests;
}

double accepted_fraction(const std::vector<GenerationRecord>& records) {
  double drafted = 0.0, accepted = 0.0;
  for (const GenerationRecord& record : records)
    for (const RoundRecord& round : record.rounds)
      drafted += round.drafted, accepted += round.accepted;
  return drafted > 0.0 ? accepted / drafted : 0.0;
}

}  // namespace

LawComparison compare_laws(const DecoderCase& example) {
  ModelsOfCase models(example);
  const auto chance = std::make_shared<ForkingChance>();
  DecoderOptions options = example.options;
  options.chance = chance;
  HostRoundDecoder decoder(
      models.target(),
      std::make_shared<LetterTokenizer>(example.world.vocab_size, example.end_token), options,
      make_drafter(options, models.target().info(), models), make_verifier(options));
  const auto policy = example.policy ? example.policy : std::make_shared<ConstantPolicy>(2);
  const std::vector<Request> requests = requests_of(example);
  LawComparison result;
  std::map<Tokens, double> law;
  do {
    decoder.begin(requests, *policy);
    while (decoder.round()) {
    }
    law[flat(decoder.records())] += chance->probability();
    result.accepted_fraction += chance->probability() * accepted_fraction(decoder.records());
    ++result.num_paths;
  } while (chance->next_path());
  const std::map<Tokens, double> plain = PlainLaw(example, models).of_batch();
  result.max_error = max_difference(law, plain);
  result.total_variation = speclab::testing::total_variation(law, plain);
  result.mass = total_mass(law);
  result.num_repeated_keys = chance->num_repeated_keys();
  return result;
}

}  // namespace speclab::engines::testing
