#include "experiments/drivers/train/training_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "analysis/tables/acceptance.h"
#include "experiments/drivers/kinds/draft_sums.h"
#include "sim/policies/policy_registry.h"

namespace speclab::experiments {
namespace {

/// The tree of experiments/configs/drafter_acceptance.toml: ten siblings show the ranks at
/// temperature 0 too, and a chain of four goes on behind the first of them.
constexpr const char* kTree = "parents:0,0,0,0,0,0,0,0,0,0,1,11,12";
constexpr int kDeepest = 4, kMostTokens = 32;
constexpr std::size_t kMostHeldOut = 16;
constexpr std::array kTemperatures{0.0, 0.5, 1.0};

std::size_t num_prompts(const engines::TrainOptions& options) {
  const std::int32_t held_out = options.trainer().counts() ? options.ngram.validation_sequences
                                                           : options.schedule.validation_sequences;
  return std::min(
      {kMostHeldOut, static_cast<std::size_t>(held_out), options.own_text.prompts.size()});
}

class HeldOutDrafts {
 public:
  HeldOutDrafts(engines::Engines& engines, const engines::LoadedModel& target,
                const engines::TrainOptions& options, double temperature)
      : options_(options), temperature_(temperature) {
    max_new_tokens_ = std::min(kMostTokens + kDeepest, options.own_text.max_new_tokens);
    engines::DecoderOptions decoding{
        .stop = {.max_new_tokens = max_new_tokens_},
        .drafter = {.kind = options.drafter, .model = options.output, .tree = kTree},
        .verifier = "observe",
        .seed = options.own_text.seed};
    decoding.sampling.temperature = temperature;
    decoding.on_draft = [this](const Draft& draft, const TargetLaws<float>& laws) {
      seen_.add(draft, laws);
    };
    decoder_ = engines.make_decoder(*target.model, target.tokenizer, decoding);
  }

  /// Adds the rows of one prompt, a group by itself.
  void add_prompt(std::size_t prompt, const std::function<void()>& check,
                  std::vector<analysis::DrafterCounts>& rows) {
    seen_ = {};
    decoder_->begin({{static_cast<std::uint32_t>(prompt), options_.own_text.prompts[prompt]}},
                    *policy_);
    const int places = std::max(1, max_new_tokens_ - kDeepest);  // the last drafts are as long
    for (bool goes_on = true; goes_on && num_tokens() < places;) {
      check();
      goes_on = decoder_->round();
    }
    tokens_ += num_tokens();
    decoder_->finish();
    const std::vector<analysis::DepthSums>& depths = seen_.depths();
    for (std::size_t depth = 0; depth < std::max<std::size_t>(1, depths.size()); ++depth)
      rows.push_back(
          {.setting = {.drafter = options_.drafter, .tree = kTree, .temperature = temperature_},
           .category = fmt::format("held_out_{}", prompt + 1),
           .depth = static_cast<int>(depth + 1),
           .n_prompts = 1,
           .positions = seen_.positions(),
           .sums = depth < depths.size() ? depths[depth] : analysis::DepthSums{}});
  }

  std::int64_t tokens() const { return tokens_; }

 private:
  std::int64_t num_tokens() const { return std::ssize(decoder_->records().front().output_ids); }

  const engines::TrainOptions& options_;
  double temperature_;
  std::int32_t max_new_tokens_ = 0;
  std::unique_ptr<SpeculationLengthPolicy> policy_ =
      make_policy(fmt::format("constant:{}", kDeepest));
  DraftSums seen_;
  std::unique_ptr<engines::RoundDecoder> decoder_;
  std::int64_t tokens_ = 0;
};

}  // namespace

bool holds_out_prompts(const engines::TrainOptions& options) { return num_prompts(options) > 0; }

std::string held_out_acceptance(engines::Engines& engines, const engines::LoadedModel& target,
                                const engines::TrainOptions& options,
                                const engines::TrainCallbacks& callbacks) {
  std::vector<analysis::DrafterCounts> rows;
  std::int64_t tokens = 0;
  for (std::size_t i = 0; i < kTemperatures.size(); ++i) {
    HeldOutDrafts drafts(engines, target, options, kTemperatures[i]);
    for (std::size_t prompt = 0; prompt < num_prompts(options); ++prompt)
      drafts.add_prompt(prompt, [&] { callbacks.check(); }, rows);
    callbacks.progress({.phase = "acceptance",
                        .fraction = static_cast<double>(i + 1) / kTemperatures.size(),
                        .tokens = tokens += drafts.tokens()});
  }
  return analysis::drafter_counts_table().csv(rows);
}

}  // namespace speclab::experiments
