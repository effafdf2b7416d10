#include "experiments/drivers/reproduce/tables/tables.h"

#include <string>

#include "experiments/drivers/reproduce/measured/measured_table.h"
#include "sim/system/errors.h"

namespace speclab::experiments {

namespace {

constexpr PaperExperiment kPaperExperiments[] = {
    {"leviathan_table_1",
     "operations and speed-up where drafting costs nothing (Leviathan et al. 2023, Table 1)",
     &leviathan_table_1},
    {"leviathan_table_4",
     "expected speed-ups of T5-XXL, and the best lengths (Leviathan et al. 2023, Table 4)",
     &leviathan_table_4},
    {"leviathan_table_5",
     "acceptance and speed-up by lenience (Leviathan et al. 2023, Table 5 and A.5)",
     &leviathan_table_5},
    {"leviathan_figure_2",
     "tokens a round over the acceptance rate (Leviathan et al. 2023, Figure 2)",
     &leviathan_figure_2},
    {"leviathan_figure_3",
     "the best length over the acceptance rate, and where it steps (Leviathan et al. 2023, "
     "Figure 3)",
     &leviathan_figure_3},
    {"leviathan_figure_4",
     "speed-up and operations over the acceptance rate (Leviathan et al. 2023, Figure 4)",
     &leviathan_figure_4},
    {"leviathan_figure_5", "blocks of a trace, as drawn (Leviathan et al. 2023, Figure 5)",
     &leviathan_figure_5},
    {"chen_figure_1",
     "loop time, time of 128 tokens and share of tokens kept over K (Chen et al. 2023, Figure 1)",
     &chen_figure_1},
    {"specinfer",
     "tokens a round by tree width, naive against multi-step sampling (SpecInfer 2024, Tables 1 "
     "to 3)",
     &specinfer},
    {"sequoia",
     "best trees by budget, against binary trees and chains (Sequoia 2024, Algorithms 1 and 4)",
     &sequoia},
    {"hf_schedule", "the +2/-1 schedule in its stationary law (Hugging Face 2023)", &hf_schedule},
    {"ntt_metrics", "bookkeeping of two tokenizers (NTT 2023)", &ntt_metrics},
    {"batch_crossover",
     "the batch at which speculation stops paying, on a roofline (MagicDec 2024, Section 3.2)",
     &batch_crossover},
    {"metric_crosswalk",
     "lengths and rates as vLLM, SGLang, TensorRT-LLM, EAGLE, Spec-Bench and Hugging Face count "
     "them",
     &metric_crosswalk},
};

}  // namespace

std::span<const PaperExperiment> paper_experiments() { return kPaperExperiments; }

const PaperExperiment& paper_experiment(const std::string& id) {
  std::string names;
  for (const PaperExperiment& experiment : paper_experiments()) {
    if (id == experiment.id) return experiment;
    names += (names.empty() ? "" : ", ") + std::string(experiment.id);
  }
  for (const MeasuredTable& table : measured_tables()) names += ", " + std::string(table.id);
  throw ConfigError("no table or figure '" + escaped(id, 60) + "'; allowed: " + names);
}

}  // namespace speclab::experiments
