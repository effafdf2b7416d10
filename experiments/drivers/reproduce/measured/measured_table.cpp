#include "experiments/drivers/reproduce/measured/measured_table.h"

#include "sim/system/data_folder.h"

#include <algorithm>

#include "sim/system/errors.h"

namespace speclab::experiments {
namespace {

const std::vector<PaperRun> kPaperRuns{
    {"own_text", {"prompts.per_category=4", "prompts.new_tokens=64"}},
    {"best_length",
     {"prompts.per_category=3", "prompts.new_tokens=64", "experiment.repetitions=1"}},
    {"nucleus_summaries", {"prompts.new_tokens=64", "experiment.repetitions=1"}},
    {"nucleus_code", {"prompts.new_tokens=64", "experiment.repetitions=1"}},
    {"tree_widths", {"prompts.per_category=1", "prompts.new_tokens=64"}},
    {"temperature", {"prompts.per_category=1", "prompts.new_tokens=96"}},
    {"model_size", {"prompts.per_category=1", "prompts.new_tokens=96"}},
    {"mlp_heads", {"prompts.per_category=2", "prompts.new_tokens=64"}},
    {"cross_tokenizer", {"prompts.per_category=1", "prompts.new_tokens=64"}},
    {"cost_of_exactness",
     {"prompts.per_category=1", "prompts.new_tokens=64", "costs.repetitions=2"}},
    {"closed_world", {"prompts.per_category=2", "prompts.new_tokens=64"}},
    {"hf_modes", {"prompts.new_tokens=20", "costs.repetitions=2"}},
    {"leviathan_beam", {"prompts.per_category=1", "prompts.new_tokens=24"}},
    {"latency_levers", {"prompts.new_tokens=24", "costs.repetitions=2"}},
    {"latency_levers_large", {}, true},
};

const std::vector<MeasuredTable> kMeasuredTables{
    {"leviathan_table_2",
     "fastest length, acceptance and speed-up of drafters (Leviathan et al. 2023, Table 2)",
     {"best_length"},
     &leviathan_table_2},
    {"leviathan_table_3",
     "acceptance of n-grams and small models (Leviathan et al. 2023, Table 3)",
     {"own_text"},
     &leviathan_table_3},
    {"chen_table_1",
     "time a token and speed-up of blocks of four (Chen et al. 2023, Table 1)",
     {"nucleus_summaries", "nucleus_code"},
     &chen_table_1},
    {"specinfer_table_1",
     "is the target's token among the drafter's k most likely? (SpecInfer 2024, Table 1)",
     {"own_text"},
     &specinfer_table_1},
    {"specinfer_table_2",
     "tokens a round by tree width (SpecInfer 2024, Table 2)",
     {"tree_widths"},
     &specinfer_table_2},
    {"specinfer_table_3",
     "naive against multi-round sampling (SpecInfer 2024, Table 3)",
     {"tree_widths"},
     &specinfer_table_3},
    {"hf_temperature",
     "speed-up over temperature where a sample must match (Hugging Face 2023)",
     {"temperature"},
     &hf_temperature},
    {"ntt_temperature",
     "speed-up over temperature under the ratio test (NTT 2023)",
     {"temperature"},
     &ntt_temperature},
    {"ntt_model_size",
     "time a token over the target's size, with one assistant (NTT 2023)",
     {"model_size"},
     &ntt_model_size},
    {"ntt_ranks",
     "where the target's token stands in the drafter's ranking (NTT 2023)",
     {"own_text"},
     &ntt_ranks},
    {"ibm_heads",
     "tokens a round over the heads of an MLP speculator (IBM 2024; scripts/mlp_heads trains them)",
     {"mlp_heads"},
     &ibm_heads},
    {"latency_levers",
     "plain and assisted speed with bfloat16, int8, 4-bit and streamed weights, alone and in a "
     "batch (Hugging Face 2023)",
     {"latency_levers", "latency_levers_large"},
     &latency_levers},
    {"hf_modes",
     "time and text of the modes that the guide to generate() shows (Hugging Face, Text generation "
     "strategies)",
     {"hf_modes"},
     &hf_modes},
    {"ntt_cross_tokenizer",
     "assisted generation with two tokenizers, decoded and encoded again (NTT 2023)",
     {"cross_tokenizer"},
     &ntt_cross_tokenizer},
    {"cost_of_exactness",
     "overlap, acceptance, time and speed of every bridge between two tokenizers (ours)",
     {"cost_of_exactness"},
     &cost_of_exactness},
    {"leviathan_beam",
     "beams verified from drafts, beam by beam the same (Leviathan et al. 2023, A.4)",
     {"leviathan_beam"},
     &leviathan_beam},
    {"closed_world",
     "acceptance over size, training text, loss and temperature where target and drafters learned "
     "from the same text (ours; scripts/closed_world trains them)",
     {"closed_world"},
     &closed_world},
};

}  // namespace

std::span<const MeasuredTable> measured_tables() { return kMeasuredTables; }

const PaperRun& paper_run(const std::string& name) {
  const auto found = std::ranges::find(kPaperRuns, name, &PaperRun::name);
  SPECLAB_EXPECT(found != kPaperRuns.end(), "no sweep " + name);
  return *found;
}

std::string config_of(const PaperRun& run) {
  return data_folder() + "/experiments/configs/papers/" + run.name + ".toml";
}

}  // namespace speclab::experiments
