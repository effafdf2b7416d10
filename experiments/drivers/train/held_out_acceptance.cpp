#include "experiments/drivers/train/training_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "analysis/tables/acceptance.h"
#include "analysis/tables/csv_writer.h"
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

/// The drafts of one prompt at a depth, added up over prompts that have some there.
struct SumsOfDepth {
  std::int64_t num_prompts = 0, positions = 0;
  analysis::DepthSums sums;

  void add(std::int64_t positions_of_prompt, const analysis::DepthSums& more) {
    ++num_prompts;
    positions += positions_of_prompt;
    sums.drafts += more.drafts;
    sums.reached += more.reached;
    sums.accepted += more.accepted;
    sums.known_ranks = std::min(sums.known_ranks, more.known_ranks);
    for (std::size_t rank = 0; rank < analysis::kRanks; ++rank)
      sums.in_top[rank] += more.in_top[rank];
  }
};

class HeldOutDrafts {
 public:
  HeldOutDrafts(engines::Engines& engines, const engines::LoadedModel& target,
                const engines::TrainOptions& options, double temperature)
      : options_(options) {
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

  void add_prompt(std::size_t prompt, const std::function<void()>& check) {
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
    if (depths_.size() < seen_.depths().size()) depths_.resize(seen_.depths().size());
    for (std::size_t depth = 0; depth < seen_.depths().size(); ++depth)
      depths_[depth].add(seen_.positions(), seen_.depths()[depth]);
  }

  const std::vector<SumsOfDepth>& depths() const { return depths_; }
  std::int64_t tokens() const { return tokens_; }

 private:
  std::int64_t num_tokens() const { return std::ssize(decoder_->records().front().output_ids); }

  const engines::TrainOptions& options_;
  std::int32_t max_new_tokens_ = 0;
  std::unique_ptr<SpeculationLengthPolicy> policy_ =
      make_policy(fmt::format("constant:{}", kDeepest));
  DraftSums seen_;
  std::unique_ptr<engines::RoundDecoder> decoder_;
  std::vector<SumsOfDepth> depths_;  ///< depth 1 first
  std::int64_t tokens_ = 0;
};

std::vector<std::string> columns() {
  std::vector<std::string> names{"drafter",   "tree",      "temperature", "category", "depth",
                                 "n_prompts", "positions", "drafts",      "reached",  "accepted"};
  for (std::size_t rank = 1; rank <= analysis::kRanks; ++rank)
    names.push_back(fmt::format("in_top_{}", rank));
  return names;
}

void add_rows(const std::string& drafter, double temperature,
              const std::vector<SumsOfDepth>& depths, analysis::CsvWriter& csv) {
  for (std::size_t depth = 0; depth < depths.size(); ++depth) {
    const auto& [prompts, positions, sums] = depths[depth];
    csv.field(drafter).field(kTree).field(temperature).field("held_out");
    csv.field(static_cast<std::int64_t>(depth + 1)).field(prompts).field(positions);
    csv.field(sums.drafts).field(sums.reached).field(sums.accepted);
    for (std::size_t rank = 0; rank < analysis::kRanks; ++rank)
      rank < sums.known_ranks ? csv.field(sums.in_top[rank]) : csv.missing();
    csv.end_row();
  }
}

}  // namespace

bool holds_out_prompts(const engines::TrainOptions& options) { return num_prompts(options) > 0; }

std::string held_out_acceptance(engines::Engines& engines, const engines::LoadedModel& target,
                                const engines::TrainOptions& options,
                                const engines::TrainCallbacks& callbacks) {
  const std::vector<std::string> names = columns();
  const std::vector<std::string_view> views(names.begin(), names.end());
  analysis::CsvWriter csv{views};
  std::int64_t tokens = 0;
  for (std::size_t i = 0; i < kTemperatures.size(); ++i) {
    HeldOutDrafts drafts(engines, target, options, kTemperatures[i]);
    for (std::size_t prompt = 0; prompt < num_prompts(options); ++prompt)
      drafts.add_prompt(prompt, [&] { callbacks.check(); });
    add_rows(options.drafter, kTemperatures[i], drafts.depths(), csv);
    callbacks.progress({.phase = "acceptance",
                        .fraction = static_cast<double>(i + 1) / kTemperatures.size(),
                        .tokens = tokens += drafts.tokens()});
  }
  return std::move(csv).content();
}

}  // namespace speclab::experiments
