#pragma once
// Everything a run will do, before anything is loaded: cells, pilots, generations and their order.

#include <span>
#include <string>
#include <vector>

#include "experiments/drivers/config/run_config.h"
#include "experiments/drivers/prompts/prompt_set.h"
#include "sim/core/setting.h"

namespace speclab::engines {
struct KnownModel;
}  // namespace speclab::engines

namespace speclab::experiments {

/// One point of every axis.
struct Cell {
  std::string id;        ///< equal settings have equal ids in every run
  std::string category;  ///< "all" if pooled
  Setting setting;       ///< its verifier is a rule, also where a shape model replays verdicts

  bool is_plain() const { return setting.is_plain(); }
  /// Accepted lengths are those of a real model's pilots.
  bool is_replayed() const { return !is_plain() && is_shape_model(setting.model); }
  /// The setting as ids and tables name it: replayed verdicts have the verifier "replay".
  Setting written() const;
};

/// Whether the cell's output law is another than the target's. Forced acceptance, which has no law,
/// is not meant.
bool is_lossy(const Cell& cell);

/// Pilot prompts are decoded by real models only.
struct Pilot {
  Setting setting;         ///< an empty policy asks for the greatest length
  std::size_t prompt = 0;  ///< index in Plan::pilot_prompts
};

struct PlannedGeneration {
  std::size_t cell = 0;
  std::size_t prompt = 0;  ///< index in Plan::prompts
  std::int32_t repetition = 0;
};

struct Plan {
  RunConfig config;
  std::vector<Prompt> prompts{}, pilot_prompts{};
  std::size_t num_prompts_in_set = 0;    ///< of which `prompts` are some
  std::string prompt_note{};             ///< on what was left out of their files; empty if nothing
  std::vector<NamedDrafter> drafters{};  ///< all that a setting may name
  std::vector<Setting> draftings{};      ///< drafter, tree and verifier of cells; plain first
  std::vector<Cell> cells{};  ///< plain cells of a (model, temperature) before their rivals
  std::vector<Setting> loaded_models{};  ///< of the cells: model, weights and activations alone
  std::vector<Pilot> pilots{};
  std::vector<PlannedGeneration> generations{};  ///< the index is the row_id
  std::vector<std::size_t> order{};              ///< row ids as they are measured

  /// Keys the random streams: equal for all cells, so that they meet the same chance. It depends on
  /// the prompt's id and the repetition alone, so that a plan with more or fewer of them does the
  /// same work; of n pairs of them two share one with a chance of n^2 / 2^31.
  std::uint32_t sequence_id(const PlannedGeneration& generation) const;
  /// That its rivals have which it is measured among and compared with: plain decoding may have
  /// more repetitions than they.
  std::int32_t rival_repetition(const PlannedGeneration& generation) const {
    return generation.repetition % config.repetitions;
  }
  /// Whether both are of one model, temperature, prompt and repetition of the rivals: measured
  /// close together, because they are compared.
  bool are_compared(const PlannedGeneration& a, const PlannedGeneration& b) const;
  std::uint32_t pilot_sequence_id(const Pilot& pilot) const;
  /// Of a cell: its prompts, each in all its repetitions.
  std::int64_t num_generations(const Cell& cell) const;
  /// Levels that any policy may ask for.
  int max_length() const;
  /// The drafter of a setting with the setting's tree.
  engines::DrafterOptions drafter_options(const Setting& setting) const;
  /// The settings of a loaded model in which something is decoded, at temperature 0 and without a
  /// policy, plain first. Shape models and the real one share theirs.
  std::vector<Setting> draftings_of(const Setting& loaded) const;
  /// The rows of generations that are decoded together with this one, itself among them: as many as
  /// the cell's batch has sequences. A batch that its cell's last prompts do not fill has prompts
  /// of other batches beside them.
  std::vector<std::size_t> batch_of(std::size_t row) const;
  /// The model whose texts and acceptance a model of the plan has: its own, or, as a shape model,
  /// those of the one real model.
  const std::string& real_model_of(const std::string& model) const;
};

/// The setting of the pilots that a cell is predicted from: of a real model, and with the cell's
/// policy only where pilots of the greatest length cannot tell of its drafts.
Setting pilot_setting(const Plan& plan, const Cell& cell);

/// The setting of the pilots whose accepted lengths a shape model replays: the real model's, at the
/// greatest length.
Setting replayed_setting(const Plan& plan, Setting setting);

/// Levels that a setting can draft, at most `limit`.
int max_length(const Setting& setting, int limit);

/// Target rows of a setting's draft with d levels, for d from 0 to max_length(setting, limit).
std::vector<int> rows_of_depth(const Setting& setting, int limit);

/// Whether confidence decides which nodes a setting's tree has.
bool has_adaptive_tree(const Setting& setting);

/// Levels that pilots of a setting ask for in every round that counts.
int pilot_length(const Plan& plan, const Setting& setting);

/// Plain decoding is always there, as the baseline of each model and temperature. Repetitions,
/// prompts, the settings of a prompt and the rivals among equal settings are shuffled, in this
/// nesting: what is compared is measured close together. Repetitions of plain decoding beyond those
/// of its rivals are spread among these.
/// @throws ConfigError if a prompt set lacks something
Plan make_plan(const RunConfig& config);

/// What --dry-run prints: cells, pilots, generations, the note below.
std::string describe(const Plan& plan);

/// Which drafters of the plan the tree axis does not reach, and what they draft instead; empty
/// where it reaches all.
std::string tree_axis_note(const Plan& plan);

/// @throws ConfigError naming every target and drafter of the plan that is neither a known name nor
/// a file or folder
void check_model_names(const Plan& plan, std::span<const engines::KnownModel> known);

}  // namespace speclab::experiments
