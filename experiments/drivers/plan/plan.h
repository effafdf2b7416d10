#pragma once
// Everything a run will do, before anything is loaded: cells, pilots, generations and their order.

#include <string>
#include <vector>

#include "experiments/drivers/config/run_config.h"
#include "experiments/drivers/prompts/prompt_set.h"

namespace speclab::experiments {

/// What drafts and verifies: all that acceptance and costs depend on, apart from model and
/// temperature.
struct Drafting {
  std::string drafter = "none";  ///< a name; "none" is plain decoding
  std::string tree;              ///< empty for plain decoding
  std::string verifier{};        ///< empty for plain decoding; drafts are drawn as it needs them
  engines::DrafterOptions options;

  bool is_plain() const { return drafter == "none"; }
  bool operator==(const Drafting& other) const {
    return drafter == other.drafter && tree == other.tree && verifier == other.verifier;
  }
  /// Target rows of a draft with d levels, for d from 0 to max_length(limit).
  std::vector<int> rows_of_depth(int limit) const;
  /// Levels it can draft, at most `limit`.
  int max_length(int limit) const;
  bool has_adaptive_tree() const;
};

/// One point of every axis.
struct Cell {
  std::string id;        ///< equal settings have equal ids in every run
  std::string category;  ///< "all" if pooled
  std::string model;
  Drafting drafting;
  std::string policy;    ///< empty for plain decoding
  std::string verifier;  ///< as of its drafting; "replay" for a shape model
  double temperature = 0;

  bool is_plain() const { return drafting.is_plain(); }
};

/// Whether the cell's output law is another than the target's. Forced acceptance, which has no law,
/// is not meant.
bool is_lossy(const Cell& cell);

/// The policy whose drafts only pilots of its own can tell of: a cell's that ends chains by
/// confidence, that follows the acceptance of each text, or that counts the nodes of an adaptive
/// tree; empty for all others, whose lengths cut what pilots of the greatest length show.
std::string pilot_policy(const Cell& cell);

/// Pilot prompts are decoded by real models only.
struct Pilot {
  std::string model;
  Drafting drafting;
  double temperature = 0;
  std::size_t prompt = 0;  ///< index in Plan::pilot_prompts
  std::string policy{};    ///< empty: always the greatest length
};

struct PlannedGeneration {
  std::size_t cell = 0;
  std::size_t prompt = 0;  ///< index in Plan::prompts
  std::int32_t repetition = 0;
};

struct Plan {
  RunConfig config;
  std::vector<Prompt> prompts{}, pilot_prompts{};
  std::size_t num_prompts_in_set = 0;  ///< of which `prompts` are some
  std::string prompt_note{};           ///< on what was left out of their files; empty if nothing
  std::vector<Drafting> draftings{};   ///< plain first
  std::vector<Cell> cells{};  ///< plain cells of a (model, temperature) before their rivals
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
  /// The draftings of the plan that are used with the model, plain first. Shape models and the real
  /// one share theirs.
  std::vector<Drafting> draftings_of(const std::string& model) const;
  /// The model whose texts and acceptance a model of the plan has: its own, or, as a shape model,
  /// those of the one real model.
  const std::string& real_model_of(const std::string& model) const;
};

/// Levels that pilots of these settings ask for in every round that counts.
int pilot_length(const Plan& plan, const Drafting& drafting);

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

}  // namespace speclab::experiments
