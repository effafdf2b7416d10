#include "experiments/drivers/cli/cli_numbers.h"
#include "experiments/drivers/cli/cli_options.h"
#include "experiments/drivers/config/key_reference.h"
#include "experiments/drivers/config/train_schema.h"
#include "experiments/drivers/train/training_sizes.h"

namespace speclab::experiments {

void add_train_options(CLI::App* command, TrainCommandOptions& options) {
  CLI::Option* config = command->add_option("config", options.config, "TOML file");
  CLI::Option* set =
      command
          ->add_option("--set", options.settings,
                       "key=value that overrides the config, for example drafter.num_heads=4; may "
                       "be repeated")
          ->allow_extra_args(false);
  CLI::Option* target =
      command
          ->add_option(
              "--target", options.target,
              "In place of a config: the target to draft for, as --model of generate names "
              "it; sizes are chosen so that the training ends within --minutes")
          ->check(not_empty())
          ->excludes(config)
          ->excludes(set);
  command->add_option("--kind", options.kind, "Drafter for --target")
      ->check(takes_one_of(kKindsByMinutes))
      ->needs(target);
  add_number(command, "--minutes", options.minutes,
             "Minutes that the training for --target may take; if not given, 10 for ngram and 60 "
             "for feature_transformer")
      ->needs(target);
  command
      ->add_option("--output", options.output,
                   "Folder of the drafter, instead of drafter.output; with --target, instead of "
                   "results/runs/NAME-KIND")
      ->check(not_empty());
  command->add_flag(
      "--overwrite", options.overwrites,
      "Replace the finished drafter in the folder; without this option that is refused");
  command->add_flag("--into-used-folder", options.into_used_folder,
                    "Write into a folder that holds files of something else");
  command->footer(command->get_footer() + key_names_footer(described_train_keys()));
}

}  // namespace speclab::experiments
