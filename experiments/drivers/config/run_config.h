#pragma once
// What `speclab run` is asked to do: every key of an experiment's config, checked.

#include <string>
#include <vector>

#include "engines/interface/drafter_options.h"
#include "engines/interface/model_options.h"
#include "engines/interface/sampling_options.h"
#include "experiments/drivers/config/sweep.h"
#include "sim/rules/lossy_rule_options.h"

namespace speclab::experiments {

/// A drafter under a name of its own.
struct NamedDrafter {
  std::string name;
  engines::DrafterOptions options;
  bool has_tree = false;  ///< its tree is fixed, the tree axis does not apply
  /// The path by which the work of a run knows its model, which has moved since; empty: its own.
  std::string known_as{};
  std::vector<std::string>
      parts{};  ///< of a mixture, as parse_part reads them: options.parts in the same order
};

/// Every combination is a cell, but for zips and exclusions.
struct Axes {
  std::vector<std::string> model{"smollm2-135m"};  ///< names, by which work and tables know them
  std::vector<double> temperature{0.0};
  std::vector<std::string> drafter{"none"};
  std::vector<std::string> tree{"chain"};
  std::vector<std::string> policy{"auto"};
  std::vector<std::string> verifier{"rejection"};
  std::vector<std::string> weights{""};      ///< empty: as [target] says
  std::vector<std::string> activations{""};  ///< empty: as [target] says
  std::vector<std::int32_t> batch{1};
  std::vector<std::string> generation{""};  ///< empty: rounds, without GenerationConfig

  /// Every combination of all but drafter, tree, policy and verifier: settings of plain decoding.
  std::vector<Setting> plain_settings() const;
};

/// Calls visit(name, values, field of a Setting) for every axis, in the order of messages.
template <typename Visit>
void for_each_axis(const Visit& visit) {
  visit("model", &Axes::model, &Setting::model);
  visit("temperature", &Axes::temperature, &Setting::temperature);
  visit("drafter", &Axes::drafter, &Setting::drafter);
  visit("tree", &Axes::tree, &Setting::tree);
  visit("policy", &Axes::policy, &Setting::policy);
  visit("verifier", &Axes::verifier, &Setting::verifier);
  visit("weights", &Axes::weights, &Setting::weights);
  visit("activations", &Axes::activations, &Setting::activations);
  visit("batch", &Axes::batch, &Setting::batch);
  visit("generation", &Axes::generation, &Setting::generation);
}

struct PromptOptions {
  std::string set = "core";             ///< of experiments/prompts, or the path of a set
  std::vector<std::string> categories;  ///< empty: all of the set
  std::int32_t per_category = 1;        ///< the first so many of each
  std::int32_t new_tokens = 128;
  bool ignore_eos = true;       ///< fixed length: equal work in all cells
  bool pool_categories = true;  ///< a cell holds all categories, else one each
};

/// Prompts that are never measured: they fit acceptance and costs for the predictions and for the
/// policy `auto`.
struct PilotOptions {
  std::string set = "pilot";  ///< as of the prompts; the same set gives its last prompts
  std::int32_t per_category = 1;
  std::int32_t max_length = 8;  ///< levels that pilots draft and that `auto` may ask for
};

struct CostOptions {
  std::int32_t repetitions = 5;  ///< passes over all points, interleaved
  std::int32_t new_tokens = 48;  ///< of a generation that measures drafting
  std::vector<std::int32_t> rows{1, 2, 3, 4, 5, 6, 8, 12, 16};
};

struct RunConfig {
  std::string question;  ///< the comment that opens the file
  std::string kind = "decoding";
  std::string name = "run";
  std::uint64_t seed = 1;
  std::int32_t repetitions = 1;
  std::int32_t plain_repetitions = 0;  ///< of plain decoding; 0: as many as of all others
  std::string places = "all";          ///< of drafts, for drafter_acceptance: "all" or "rounds"
  /// The file of each model, in the order of `axes.model`: a catalogue name or a path.
  std::vector<std::string> model_files{"smollm2-135m"};
  std::vector<std::string> model_names{};   ///< the key target.name: empty, or one for each
  engines::ModelOptions target;             ///< device, dtype, threads; the model comes from `axes`
  std::string chat_template = "auto";       ///< one of kChatTemplates
  std::vector<NamedDrafter> drafters;       ///< the config's own
  Axes axes;                                ///< values of zipped axes too, each once
  std::vector<AxisSelection> zips{};        ///< the tables [[zip]]
  std::vector<AxisSelection> exclusions{};  ///< the tables [[exclude]]
  LossyRuleOptions lossy;                   ///< the table [verification]
  engines::SamplingOptions sampling;        ///< its temperature is an axis
  PromptOptions prompts;
  PilotOptions pilot;
  CostOptions costs;

  /// The file of one of `axes.model`: itself where no file is named.
  const std::string& file_of(const std::string& model) const;
  /// Options by which a setting's model is loaded.
  engines::ModelOptions model_options(const Setting& setting) const;
  /// The name of one of `model_files`; a name is itself.
  const std::string& name_of(const std::string& file) const;
  /// Rounds stay on the device, which times passes within them: one by itself would bring its
  /// logits to the host.
  bool has_device_rounds() const { return target.rounds == "device"; }
  std::int32_t repetitions_of_plain() const {
    return plain_repetitions > 0 ? plain_repetitions : repetitions;
  }
};

/// @param settings  "key=value", applied over the file
/// @throws ConfigError with a line "file:line:column: key = found; allowed: ..." and the source
/// line with a caret for all that is
///         unknown, of the wrong type, out of range or contradictory
RunConfig read_run_config(const std::string& path, const std::vector<std::string>& settings);

/// Gives every model file its name: that of target.name, else of its path.
/// @throws ConfigError if two files get the same name, or a file that of a shape model
void name_models(RunConfig& config);

/// The config with names in the place of paths, and drafters by what they are known as: equal
/// wherever the models of a run lie.
RunConfig with_names_for_paths(RunConfig config);

/// The whole config as TOML that read_run_config reads back. The question is not in it.
std::string to_toml(const RunConfig& config);

bool is_shape_model(const std::string& model);
/// Whether it is the default model in the sizes of a larger one, by its name.
bool is_widened_model(const std::string& model);

}  // namespace speclab::experiments
