#include "experiments/drivers/config/run_schema.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "engines/interface/names.h"
#include "experiments/drivers/config/kinds.h"
#include "experiments/drivers/prompts/chat_prompt.h"

namespace speclab::experiments {
namespace {

constexpr double kBelowOne = 0.999999;

std::string joined(const auto& list) { return fmt::format("{}", fmt::join(list, ", ")); }
std::vector<std::string> names(const auto& list, std::size_t first = 0) {
  return {list.begin() + static_cast<std::ptrdiff_t>(first), list.end()};
}

std::vector<std::string> with_auto(std::vector<std::string> list) {
  list.insert(list.begin(), "auto");
  return list;
}

using engines::DrafterTraits;
using K = Key<RunConfig>;
using D = Key<NamedDrafter>;

/// A sampling setting that is off is not written: a restriction of greedy decoding would be
/// refused.
template <auto Member>
K sampling_key(const char* name, const char* meaning, Range range, const char* unit = "") {
  return K{
      {"sampling", name, meaning, unit, range},
      [](RunConfig& c) -> ValueOfKey { return &(c.sampling.*Member); },
      [](const RunConfig& c) { return c.sampling.*Member != engines::SamplingOptions{}.*Member; }};
}

bool uses(const RunConfig& config, const char* verifier) {
  return engines::is_among(verifier, config.axes.verifier);
}
bool uses_lenient(const RunConfig& config) { return uses(config, "lenient"); }
bool uses_typical(const RunConfig& config) { return uses(config, "typical"); }
bool looks_up(const NamedDrafter& drafter) { return drafter.options.traits().looks_up; }

bool is_zipped(const RunConfig& config, const char* axis) {
  return std::ranges::any_of(config.zips,
                             [&](const AxisSelection& zip) { return zip.contains(axis); });
}

/// An axis that a table [[zip]] gives is written there.
template <const char* Name, auto Member>
K axis_key(const char* meaning, Range range = {}, std::vector<std::string> choices = {}) {
  return K{{"axes", Name, meaning, "", range, std::move(choices), "", "", true},
           [](RunConfig& c) -> ValueOfKey { return &(c.axes.*Member); },
           [](const RunConfig& c) { return !is_zipped(c, Name); }};
}

constexpr char kTemperature[] = "temperature", kDrafter[] = "drafter", kTree[] = "tree",
               kPolicy[] = "policy", kVerifier[] = "verifier";

std::vector<K> experiment_keys() {
  return {
      {{"experiment",
        "kind",
        "`decoding` measures generations. `cost_surface` measures only the costs of forwards, "
        "drafts and rounds. `rule_atlas` compares every verification rule on the same drafts: "
        "chains of real models under `constant:N` (4 if none is given) or `heuristic`. "
        "`drafter_acceptance` counts the share of drafts that the target would keep at every place "
        "of its own text, and the rank of the target's token. It takes these policies, and trees "
        "too (at temperature 0 siblings show the ranks). The last two kinds ignore repetitions, "
        "pilots and costs",
        "",
        {},
        experiment_kind_names()},
       [](RunConfig& c) -> ValueOfKey { return &c.kind; }},
      {{"experiment", "name", "name of the run folder, `results/runs/NAME`"},
       [](RunConfig& c) -> ValueOfKey { return &c.name; }},
      {{"experiment", "seed", "keys every random stream"},
       [](RunConfig& c) -> ValueOfKey { return &c.seed; }},
      {{"experiment",
        "repetitions",
        "measurements of every prompt in every cell, interleaved",
        "",
        {.low = 1, .high = 10000}},
       [](RunConfig& c) -> ValueOfKey { return &c.repetitions; }},
      K{{"experiment",
         "plain_repetitions",
         "measurements of every prompt under plain decoding, spread among the others. All "
         "speed-ups share its walltime, and thus its error. 0 takes the number of `repetitions`",
         "",
         {.low = 0, .high = 10000}},
        [](RunConfig& c) -> ValueOfKey { return &c.plain_repetitions; },
        [](const RunConfig& c) { return c.plain_repetitions > c.repetitions; }},
      K{{"experiment",
         "places",
         "the places at which `drafter_acceptance` drafts: `all` places of the target's own text, "
         "and no draft is kept; `rounds`: the beginnings of rounds of speculative decoding, which "
         "keeps its drafts",
         "",
         {},
         {"all", "rounds"}},
        [](RunConfig& c) -> ValueOfKey { return &c.places; },
        [](const RunConfig& c) { return c.places != "all"; }},
  };
}

std::vector<K> target_keys() {
  return {
      {{"target",
        "model",
        "catalogue names, GGUF files or checkpoint folders; `shape-*` needs exactly one real model "
        "beside it. A path in a config is relative to the config, one in `--set` to where you "
        "stand",
        "",
        {},
        {},
        "",
        "",
        true},
       [](RunConfig& c) -> ValueOfKey { return &c.model_files; },
       [](const RunConfig& c) { return !is_zipped(c, "model"); }},
      {{"target",
        "name",
        "the names that tables, figures and report show, one for each model. The work of a run is "
        "known by them, so that a model may move; another model under the same name is refused",
        "",
        {},
        {},
        "",
        "the last part of each path"},
       [](RunConfig& c) -> ValueOfKey { return &c.model_names; },
       [](const RunConfig& c) { return !c.model_names.empty(); }},
      {{"target", "device", "the device that runs the target", "", {}, {"auto", "cpu", "cuda"}},
       [](RunConfig& c) -> ValueOfKey { return &c.target.device; }},
      {{"target",
        "dtype",
        "number format of the weights: `file` keeps low-bit ones as the file has them, `q8` makes "
        "int8 in groups of 32, `auto` has the numbers of bfloat16",
        "",
        {},
        {"auto", "file", "q8", "float32", "bfloat16"}},
       [](RunConfig& c) -> ValueOfKey { return &c.target.dtype; }},
      {{"target",
        "activations",
        "activations at low-bit weights: `exact` gives the numbers of weights in bfloat16, `int8` "
        "is the fastest, `bfloat16` the closest to the file",
        "",
        {},
        {"exact", "int8", "bfloat16"}},
       [](RunConfig& c) -> ValueOfKey { return &c.target.activations; },
       [](const RunConfig& c) { return c.target.activations != "exact"; }},
      {{"target",
        "cache_dtype",
        "number format of keys and values: `auto` is bfloat16 beside int8 or bfloat16 activations",
        "",
        {},
        {"auto", "float32", "bfloat16"}},
       [](RunConfig& c) -> ValueOfKey { return &c.target.cache_dtype; },
       [](const RunConfig& c) { return c.target.cache_dtype != "auto"; }},
      {{"target",
        "weights",
        "`streamed` brings layers that do not fit into `resident_bytes` at every forward, from the "
        "file or, on a CUDA device, from the host's memory",
        "",
        {},
        {"resident", "streamed"}},
       [](RunConfig& c) -> ValueOfKey { return &c.target.weights; },
       [](const RunConfig& c) { return c.target.weights != "resident"; }},
      {{"target",
        "resident_bytes",
        "memory of the machine, or of the CUDA device, that streamed weights may take: the layers "
        "that stay, and two buffers of the largest layer; 0 with resident weights",
        "bytes",
        {0}},
       [](RunConfig& c) -> ValueOfKey { return &c.target.resident_bytes; },
       [](const RunConfig& c) { return c.target.resident_bytes != 0; }},
      {{"target",
        "kernels",
        "`reference` runs plain libtorch operations on the CPU or a GPU: every family, slowly",
        "",
        {},
        {"auto", "reference"}},
       [](RunConfig& c) -> ValueOfKey { return &c.target.kernels; }},
      {{"target",
        "rounds",
        "`device` keeps whole rounds on the CUDA device, and its clock times passes and drafts. It "
        "takes plain decoding, or chains and trees of a fixed shape from a small transformer under "
        "`rejection`, with temperature as the only sampling setting",
        "",
        {},
        {"host", "device"}},
       [](RunConfig& c) -> ValueOfKey { return &c.target.rounds; }},
      {{"target", "threads", "0 is all cores", "threads", {.low = 0, .high = 4096}},
       [](RunConfig& c) -> ValueOfKey { return &c.target.threads; }},
      {{"target",
        "chat_template",
        "`off` gives prompts without a template",
        "",
        {},
        kChatTemplates},
       [](RunConfig& c) -> ValueOfKey { return &c.chat_template; }},
  };
}

std::vector<K> axes_keys() {
  return {
      axis_key<kTemperature, &Axes::temperature>(
          "0 is greedy", {.low = 0, .high = 100, .gap = engines::kLeastTemperature}),
      axis_key<kDrafter, &Axes::drafter>("kinds, or names of `[drafters]`; `none` is plain "
                                         "decoding, the base of every comparison"),
      axis_key<kTree, &Axes::tree>("for drafters that draw trees and have no tree in `[drafters]`; "
                                   "shapes as in `drafters.NAME.tree`"),
      axis_key<kPolicy, &Axes::policy>(
          "rules for the speculation length: `constant:N`; `heuristic`; `confidence:P` or "
          "`confidence:P:N`; `tracking:C` or `tracking:C:N`; `auto`. `confidence` ends a chain "
          "behind the first token that the drafter finds less likely than P, and after N tokens "
          "(20) at the latest. `tracking` takes the length, up to N (20), with the most tokens per "
          "cost at the acceptance rate of the text so far; a drafted token costs C (0.05) of a "
          "step. Both are predicted from pilots of their own. `auto` decides by costs and pilots, "
          "and drafts nothing if drafting loses"),
      axis_key<kVerifier, &Axes::verifier>(
          "each rule has pilots and costs of its own. `greedy` works at temperature 0 only; "
          "`block` and the lossy `lenient` and `typical` for chains only; shape models allow one "
          "value",
          {}, {}),
  };
}

std::vector<K> verification_keys() {
  return {
      {{"verification",
        "lenience",
        "accept with p/(lenience q); 1 would be `rejection`",
        "",
        {.low = 1e-6, .high = kBelowOne},
        {},
        "verifier lenient"},
       [](RunConfig& c) -> ValueOfKey { return &c.lossy.lenience; },
       uses_lenient},
      {{"verification",
        "lenient_residual",
        "a rejection leaves p - q (`full`) or p - lenience q (`lenient`)",
        "",
        {},
        {"full", "lenient"},
        "verifier lenient"},
       [](RunConfig& c) -> ValueOfKey { return &c.lossy.lenient_residual; },
       uses_lenient},
      {{"verification",
        "typical_epsilon",
        "accept above min(epsilon, delta exp(-entropy))",
        "",
        {.low = 0, .high = 1},
        {},
        "verifier typical"},
       [](RunConfig& c) -> ValueOfKey { return &c.lossy.typical_epsilon; },
       uses_typical},
      {{"verification",
        "typical_delta",
        "the delta of that rule",
        "",
        {.low = 0, .high = 1},
        {},
        "verifier typical"},
       [](RunConfig& c) -> ValueOfKey { return &c.lossy.typical_delta; },
       uses_typical},
  };
}

std::vector<K> sampling_keys() {
  using S = engines::SamplingOptions;
  return {
      sampling_key<&S::top_k>(
          "top_k",
          "number of likeliest tokens that are kept; 0 is off. This and the other cut-offs work as "
          "in Hugging Face's `generate()`; they need a temperature above 0",
          {.low = 0}, "tokens"),
      sampling_key<&S::top_p>("top_p", "mass of the likeliest tokens that are kept; 1 is off",
                              {.low = 1e-9, .high = 1}),
      sampling_key<&S::min_p>("min_p", "least probability relative to the greatest; 0 is off",
                              {.low = 0, .high = 1}),
      sampling_key<&S::repetition_penalty>("repetition_penalty",
                                           "penalty for tokens that occurred; 1 is off",
                                           {.low = 1e-3, .high = 1e3}),
      sampling_key<&S::no_repeat_ngram_size>(
          "no_repeat_ngram_size", "no n-gram of this size twice; 0 is off", {.low = 0}, "tokens"),
      sampling_key<&S::min_length>("min_length",
                                   "no end of text before it, prompt included; 0 is off",
                                   {.low = 0}, "tokens"),
      sampling_key<&S::suppress_tokens>("suppress_tokens", "ids that never occur", {.low = 0}),
      sampling_key<&S::typical_p>("typical_p",
                                  "mass of the tokens nearest to the entropy; 1 is off",
                                  {.low = 1e-9, .high = 1}),
      sampling_key<&S::epsilon_cutoff>("epsilon_cutoff", "least probability; 0 is off",
                                       {.low = 0, .high = kBelowOne}),
      sampling_key<&S::eta_cutoff>("eta_cutoff",
                                   "least probability, lower where the entropy is high; 0 is off",
                                   {.low = 0, .high = kBelowOne}),
  };
}

std::vector<K> prompt_keys() {
  return {
      {{"prompts", "set",
        "a set of `experiments/prompts`, or the path of a folder, a JSONL or a JSON file "
        "([formats](../prompts/README.md)), relative to the config"},
       [](RunConfig& c) -> ValueOfKey { return &c.prompts.set; }},
      {{"prompts", "categories", "categories of the set that are used", "", {}, {}, "", "all"},
       [](RunConfig& c) -> ValueOfKey { return &c.prompts.categories; },
       [](const RunConfig& c) { return !c.prompts.categories.empty(); }},
      {{"prompts",
        "per_category",
        "number of prompts from each category, the first ones",
        "prompts",
        {.low = 1, .high = 100000}},
       [](RunConfig& c) -> ValueOfKey { return &c.prompts.per_category; }},
      {{"prompts", "new_tokens", "length of a generation", "tokens", {.low = 2, .high = 100000}},
       [](RunConfig& c) -> ValueOfKey { return &c.prompts.new_tokens; }},
      {{"prompts", "ignore_eos", "generations of one length: equal work in all cells"},
       [](RunConfig& c) -> ValueOfKey { return &c.prompts.ignore_eos; }},
      {{"prompts", "pool_categories", "a cell holds all categories; else one each"},
       [](RunConfig& c) -> ValueOfKey { return &c.prompts.pool_categories; }},
      {{"pilot",
        "set",
        "prompts that are never measured; acceptance on them serves the predictions and `auto`. "
        "Those of one's own set are its last prompts of each category",
        "",
        {},
        {},
        "",
        "`pilot`, or one's own set"},
       [](RunConfig& c) -> ValueOfKey { return &c.pilot.set; }},
      {{"pilot",
        "per_category",
        "number of prompts from each category: the first of the set, or the last of one's own",
        "prompts",
        {.low = 1, .high = 100000}},
       [](RunConfig& c) -> ValueOfKey { return &c.pilot.per_category; }},
      {{"pilot",
        "max_length",
        "longest draft that `auto` may ask for. Pilots draft at least so many tokens a round; more "
        "if a policy of the run asks for more (`confidence` and `tracking`: 20)",
        "tokens",
        {.low = 1, .high = 256}},
       [](RunConfig& c) -> ValueOfKey { return &c.pilot.max_length; }},
      {{"costs",
        "repetitions",
        "passes over all points of the cost surface, interleaved; in decoding they spread over the "
        "pilots' time. A point costs the mean over passes, and their spread widens the intervals "
        "of the predictions",
        "",
        {.low = 1, .high = 10000}},
       [](RunConfig& c) -> ValueOfKey { return &c.costs.repetitions; }},
      {{"costs",
        "new_tokens",
        "length of a generation that measures drafting",
        "tokens",
        {.low = 16, .high = 100000}},
       [](RunConfig& c) -> ValueOfKey { return &c.costs.new_tokens; }},
      {{"costs", "rows", "numbers of rows of the timed forwards", "rows", {.low = 1, .high = 512}},
       [](RunConfig& c) -> ValueOfKey { return &c.costs.rows; }},
  };
}

/// Keys that make cells and are no member of their own.
std::vector<DescribedKey> sweep_keys() {
  return {
      {{"", "include",
        "files whose keys hold if this file does not set them, relative to it; they may include "
        "others"},
       "list of strings",
       "none"},
      {{"zip", "AXIS",
        "`[[zip]]`: values of two or more axes that advance together. A cell has the first of "
        "each, or the second of each. The axes are `model`, `temperature`, `drafter`, `tree`, "
        "`policy` and `verifier`; an axis that stands here stands nowhere else"},
       "list",
       "none"},
      {{"exclude", "AXIS",
        "`[[exclude]]`: leaves out the cells that have one of the values on every named axis. "
        "Plain decoding stays unless only `model` and `temperature` are named"},
       "list",
       "none"},
  };
}

}  // namespace

const std::vector<Key<RunConfig>>& run_keys() {
  static const std::vector<K> all = [] {
    std::vector<K> keys;
    for (const auto& part : {experiment_keys(), target_keys(), axes_keys(), verification_keys(),
                             sampling_keys(), prompt_keys()})
      keys.insert(keys.end(), part.begin(), part.end());
    return keys;
  }();
  return all;
}

const std::vector<Key<NamedDrafter>>& drafter_keys() {
  static const std::vector<D> all{
      {{"drafters.NAME",
        "kind",
        "a drafter with a name of its own for `axes.drafter`. `lookup_ngram` and "
        "`lookup_transformer` copy if prompt lookup finds something, and else use n-grams or a "
        "transformer. A `mixture` draws from the mean of its parts' laws",
        "",
        {},
        names(engines::kDrafterKinds, 1),
        "",
        "–"},
       [](NamedDrafter& d) -> ValueOfKey { return &d.options.kind; }},
      {{"drafters.NAME",
        "model",
        "folder of the drafter's model. Without it the project's in `results/models`: "
        "`smollm2-unigram`, `-bigram`, `-5gram` (`ngram`, `lookup_ngram`), `-drafter` "
        "(`small_transformer`), `-mlp`, or `-feature` (`feature_transformer`, "
        "`lookup_transformer`). `unigram` and `bigram` need n-grams of that order",
        "",
        {},
        {},
        "kinds that read a model",
        "the project's"},
       [](NamedDrafter& d) -> ValueOfKey { return &d.options.model; },
       [](const NamedDrafter& d) { return !d.options.model.empty(); }},
      {{"drafters.NAME",
        "tree",
        "children a level as in `2x2x1`; `parents:0,0,1`; `best_first:NODES` or `beam:NODES`, also "
        "with `:CHILDREN`, from the likeliest tokens; `best_first:30:5x3x2` with children a level; "
        "`suffixes:5:5x3x2` for the five likeliest paths of 5, 3 and 2 tokens a level. "
        "`best_first:adaptive` takes as many nodes as the policy says, 64 at most (`heuristic` or "
        "`constant:N`), and has pilots of its own",
        "",
        {},
        {},
        "any kind but prompt_lookup",
        "the tree of the axis"},
       [](NamedDrafter& d) -> ValueOfKey { return &d.options.tree; },
       [](const NamedDrafter& d) { return d.has_tree; }},
      {{"drafters.NAME",
        "bridge",
        "how drafts of a model with another tokenizer cross to the target. `re_encode` decodes the "
        "text and encodes it again, whole; `look_behind` the last tokens alone. `intersection` "
        "drafts tokens that both vocabularies have; `trimmed_intersection` with their rows of the "
        "head alone. `auto` is `look_behind` at temperature 0, else `intersection`",
        "",
        {},
        with_auto(names(engines::kBridgeNames)),
        engines::drafters_that<&DrafterTraits::reads_language_model>(),
        "auto"},
       [](NamedDrafter& d) -> ValueOfKey { return &d.options.bridge; },
       [](const NamedDrafter& d) { return d.options.bridge != "auto"; }},
      {{"drafters.NAME",
        "max_ngram",
        "longest suffix that is looked up",
        "tokens",
        {.low = 1, .high = 64},
        {},
        engines::drafters_that<&DrafterTraits::looks_up>(),
        "3; mixtures 10"},
       [](NamedDrafter& d) -> ValueOfKey { return &d.options.max_ngram; },
       looks_up},
      {{"drafters.NAME",
        "min_ngram",
        "shortest suffix that is looked up",
        "tokens",
        {.low = 1, .high = 64},
        {},
        engines::drafters_that<&DrafterTraits::looks_up>(),
        "1; lookup_transformer 2"},
       [](NamedDrafter& d) -> ValueOfKey { return &d.options.min_ngram; },
       looks_up},
      {{"drafters.NAME",
        "lookup_weight",
        "weight of the copied token in the drafter's law; the model has the rest. The default is "
        "measured: the share of copies with a suffix of this length that came true, in this text "
        "and in others. At temperature 0 the copied token is drafted unless the model finds "
        "another token likelier than this weight",
        "",
        {.low = 0, .high = 1, .above_low = true},
        {},
        engines::drafters_that<&DrafterTraits::mixes_copies>(),
        "as measured"},
       [](NamedDrafter& d) -> ValueOfKey { return &d.options.lookup_weight; },
       [](const NamedDrafter& d) { return d.options.lookup_weight.has_value(); }},
      {{"drafters.NAME",
        "parts",
        "2 to 16 kinds or other drafters of the file, as `NAME` or `NAME:WEIGHT`. A part without a "
        "prediction at a place leaves its weight to the others there. The kind `prompt_lookup` "
        "needs a suffix of two tokens here; a `[drafters.NAME]` follows its own keys. Only n-grams "
        "may occur twice",
        "",
        {},
        {},
        engines::drafters_that<&DrafterTraits::is_mixture>(),
        "–"},
       [](NamedDrafter& d) -> ValueOfKey { return &d.parts; },
       [](const NamedDrafter& d) { return d.options.traits().is_mixture(); }},
  };
  return all;
}

std::vector<DescribedKey> described_run_keys() {
  std::vector<DescribedKey> all = described(run_keys(), RunConfig{}),
                            more = described(drafter_keys(), NamedDrafter{});
  const auto axes =
      std::ranges::find(all, "axes", [](const DescribedKey& key) { return key.doc.table; });
  all.insert(axes, more.begin(), more.end());
  for (DescribedKey& key : sweep_keys()) all.push_back(std::move(key));
  return all;
}

}  // namespace speclab::experiments
