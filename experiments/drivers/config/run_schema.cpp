#include "experiments/drivers/config/run_schema.h"

#include <algorithm>
#include <ranges>

#include "engines/interface/names.h"
#include "engines/interface/sampling_rows.h"
#include "experiments/drivers/config/kinds.h"
#include "experiments/drivers/prompts/chat_prompt.h"

namespace speclab::experiments {
namespace {

/// Short names must not reach other files of a unity build.
namespace run_rows {

using engines::DrafterTraits;
using K = Key<RunConfig>;
using C = RunConfig;
using Model = engines::ModelOptions;
using Drafter = engines::DrafterOptions;
using Lossy = LossyRuleOptions;

bool looks_up(const NamedDrafter& drafter) { return drafter.options.traits().looks_up; }

bool is_zipped(const RunConfig& config, const char* axis) {
  return std::ranges::any_of(config.zips,
                             [&](const AxisSelection& zip) { return zip.contains(axis); });
}

/// An axis that a table [[zip]] gives is written there.
K as_axis(K key, const char* name) {
  return key.as_axis().written_if([name](const RunConfig& c) { return !is_zipped(c, name); });
}
/// An axis that most runs lack; their manifests do not have it.
K more_axis(const char* name, auto member, const char* meaning) {
  K key = KeysOf<C, &C::axes>{"axes"}(name, member, meaning);
  key.as_axis().written_if_set();
  return key.written_if([name, is_set = key.is_written](const C& config) {
    return is_set(config) && !is_zipped(config, name);
  });
}
K axis(const char* name, auto member, const char* meaning) {
  return as_axis(KeysOf<C, &C::axes>{"axes"}(name, member, meaning), name);
}
/// A setting of a lossy rule.
K lossy(const char* rule, const char* name, auto member, const char* meaning) {
  return KeysOf<C, &C::lossy>{"verification"}(name, member, meaning)
      .only_if(std::string("verifier ") + rule)
      .written_if([rule](const RunConfig& c) { return engines::is_among(rule, c.axes.verifier); });
}

std::vector<std::string> bridges() {
  std::vector<std::string> names{"auto"};
  names.insert(names.end(), engines::kBridgeNames.begin(), engines::kBridgeNames.end());
  return names;
}

const KeysOf<C> experiment{"experiment"}, target_models{"target"};
const KeysOf<C, &C::target> target{"target"};
const KeysOf<C, &C::prompts> prompts{"prompts"};
const KeysOf<C, &C::pilot> pilot{"pilot"};
const KeysOf<C, &C::costs> costs{"costs"};
const KeysOf<NamedDrafter> named{"drafters.NAME"};
const KeysOf<NamedDrafter, &NamedDrafter::options> drafter{"drafters.NAME"};

const std::vector<K> kKeys{
    experiment("kind", &C::kind,
               "`decoding` measures generations. `cost_surface` measures only the costs of "
               "forwards, drafts and rounds. `rule_atlas` compares every verification rule on the "
               "same drafts: chains of real models under `constant:N` (4 if none is given) or "
               "`heuristic`. `drafter_acceptance` counts the share of drafts that the target would "
               "keep at every place of its own text, and the rank of the target's token. It takes "
               "these policies, and trees too (at temperature 0 siblings show the ranks). The last "
               "two kinds ignore repetitions, pilots and costs")
        .one_of(experiment_kind_names()),
    experiment("name", &C::name, "name of the run folder, `results/runs/NAME`"),
    experiment("seed", &C::seed, "keys every random stream"),
    experiment("repetitions", &C::repetitions,
               "measurements of every prompt in every cell, interleaved")
        .from(1, 10000),
    experiment(
        "plain_repetitions", &C::plain_repetitions,
        "measurements of every prompt under plain decoding, spread among the others. All speed-ups "
        "share its walltime, and thus its error. 0 takes the number of `repetitions`")
        .from(0, 10000)
        .written_if([](const RunConfig& c) { return c.plain_repetitions > c.repetitions; }),
    experiment("places", &C::places,
               "the places at which `drafter_acceptance` drafts: `all` places of the target's own "
               "text, and no draft is kept; `rounds`: the beginnings of rounds of speculative "
               "decoding, which keeps its drafts")
        .one_of({"all", "rounds"})
        .written_if_set(),

    as_axis(target_models("model", &C::model_files,
                          "catalogue names, GGUF files or checkpoint folders; `shape-*` needs "
                          "exactly one real model beside it. `widened:SHAPE` is SmolLM2-135M in "
                          "the sizes of a `shape-*` or of `HIDDENxINTERMEDIATExLAYERS`. A path in "
                          "a config is relative to the "
                          "config, one in `--set` to where you stand"),
            "model"),
    target_models(
        "name", &C::model_names,
        "the names that tables, figures and report show, one for each model. The work of a run is "
        "known by them, so that a model may move; another model under the same name is refused")
        .shown_as("the last part of each path")
        .written_if_set(),
    target("device", &Model::device, "the device that runs the target")
        .one_of({"auto", "cpu", "cuda"}),
    target("dtype", &Model::dtype,
           "number format of the weights: `file` keeps low-bit ones as the file has them, `q8` "
           "makes int8 in groups of 32, `auto` has the numbers of bfloat16")
        .one_of({"auto", "file", "q8", "float32", "bfloat16"}),
    target("activations", &Model::activations,
           "activations at low-bit weights: `exact` gives the numbers of weights in bfloat16, "
           "`int8` is the fastest, `bfloat16` the closest to the file")
        .one_of({"exact", "int8", "bfloat16"})
        .written_if_set(),
    target(
        "cache_dtype", &Model::cache_dtype,
        "number format of keys and values: `auto` is bfloat16 beside int8 or bfloat16 activations")
        .one_of({"auto", "float32", "bfloat16"})
        .written_if_set(),
    target("weights", &Model::weights,
           "`streamed` brings layers that do not fit into `resident_bytes` at every forward, from "
           "the file or, on a CUDA device, from the host's memory")
        .one_of({"resident", "streamed"})
        .written_if_set(),
    target("resident_bytes", &Model::resident_bytes,
           "memory of the machine, or of the CUDA device, that streamed weights may take: the "
           "layers that stay, and two buffers of the largest layer; 0 with resident weights")
        .in("bytes")
        .at_least(0)
        .written_if_set(),
    target("kernels", &Model::kernels,
           "`reference` runs plain libtorch operations on the CPU or a GPU: every family, slowly")
        .one_of({"auto", "reference"}),
    target("rounds", &Model::rounds,
           "`device` keeps whole rounds on the CUDA device, and its clock times passes and drafts. "
           "It takes plain decoding, or chains and trees of a fixed shape under `rejection`, with "
           "temperature as the only sampling setting, from every drafter but `mlp_speculator` and "
           "mixtures with a model's part")
        .one_of({"host", "device"}),
    target("threads", &Model::threads, "0 is all cores").in("threads").from(0, 4096),
    target_models("chat_template", &C::chat_template, "`off` gives prompts without a template")
        .one_of(kChatTemplates),

    axis("temperature", &Axes::temperature, "0 is greedy")
        .within({.low = 0, .high = 100, .gap = engines::kLeastTemperature}),
    axis("drafter", &Axes::drafter,
         "kinds, or names of `[drafters]`; `none` is plain decoding, the base of every comparison"),
    axis("tree", &Axes::tree,
         "for drafters that draw trees and have no tree in `[drafters]`; shapes as in "
         "`drafters.NAME.tree`"),
    axis("policy", &Axes::policy,
         "rules for the speculation length: `constant:N`; `heuristic`; `confidence:P` or "
         "`confidence:P:N`; `tracking:C` or `tracking:C:N`; `auto`. `confidence` ends a chain "
         "behind the first token that the drafter finds less likely than P, and after N tokens "
         "(20) at the latest. `tracking` takes the length, up to N (20), with the most tokens per "
         "cost at the acceptance rate of the text so far; a drafted token costs C (0.05) of a "
         "step. Both are predicted from pilots of their own. `auto` decides by costs and pilots, "
         "and drafts nothing if drafting loses"),
    axis("verifier", &Axes::verifier,
         "each rule has pilots and costs of its own. `greedy` works at temperature 0 only; `block` "
         "and the lossy `lenient` and `typical` for chains only; shape models allow one value"),
    more_axis("weights", &Axes::weights,
              "forms of the weights in the place of `target.dtype`, each loaded beside the others; "
              "`streamed` has `target.dtype` and takes `target.resident_bytes`")
        .one_of({"auto", "file", "q8", "float32", "bfloat16", "streamed"})
        .shown_as("as `target.dtype`"),
    more_axis("activations", &Axes::activations, "activations in the place of `target.activations`")
        .one_of({"exact", "int8", "bfloat16"})
        .shown_as("as `target.activations`"),
    more_axis("batch", &Axes::batch,
              "sequences decoded together, of prompts that follow each other. A row is one of them "
              "and has its share of the time. Plain decoding in as large a batch is the base of "
              "the comparison")
        .in("sequences")
        .from(1, 512),
    more_axis("generation", &Axes::generation,
              "keys of GenerationConfig as in `num_beams=4;length_penalty=0`; temperature and "
              "number of new tokens are keys of the config. A search drafts with `constant:N` "
              "alone, and has pilots of its own")
        .shown_as("rounds"),

    lossy("lenient", "lenience", &Lossy::lenience,
          "accept with p/(lenience q); 1 would be `rejection`")
        .from(1e-6, 0.999999),
    lossy("lenient", "lenient_residual", &Lossy::lenient_residual,
          "a rejection leaves p - q (`full`) or p - lenience q (`lenient`)")
        .one_of({"full", "lenient"}),
    lossy("typical", "typical_epsilon", &Lossy::typical_epsilon,
          "accept above min(epsilon, delta exp(-entropy))")
        .from(0, 1),
    lossy("typical", "typical_delta", &Lossy::typical_delta, "the delta of that rule").from(0, 1),
};

const std::vector<K> kPromptKeys{
    prompts("set", &PromptOptions::set,
            "a set of `experiments/prompts`, or the path of a folder, a JSONL or a JSON file "
            "([formats](../prompts/README.md)), relative to the config"),
    prompts("categories", &PromptOptions::categories, "categories of the set that are used")
        .shown_as("all")
        .written_if_set(),
    prompts("per_category", &PromptOptions::per_category,
            "number of prompts from each category, the first ones")
        .in("prompts")
        .from(1, 100000),
    prompts("new_tokens", &PromptOptions::new_tokens, "length of a generation")
        .in("tokens")
        .from(2, 100000),
    prompts("ignore_eos", &PromptOptions::ignore_eos,
            "generations of one length: equal work in all cells"),
    prompts("pool_categories", &PromptOptions::pool_categories,
            "a cell holds all categories; else one each"),
    pilot("set", &PilotOptions::set,
          "prompts that are never measured; acceptance on them serves the predictions and `auto`. "
          "Those of one's own set are its last prompts of each category")
        .shown_as("`pilot`, or one's own set"),
    pilot("per_category", &PilotOptions::per_category,
          "number of prompts from each category: the first of the set, or the last of one's own")
        .in("prompts")
        .from(1, 100000),
    pilot("max_length", &PilotOptions::max_length,
          "longest draft that `auto` may ask for. Pilots draft at least so many tokens a round; "
          "more if a policy of the run asks for more (`confidence` and `tracking`: 20)")
        .in("tokens")
        .from(1, 256),
    costs("repetitions", &CostOptions::repetitions,
          "passes over all points of the cost surface, interleaved; in decoding they spread over "
          "the pilots' time. A point costs the mean over passes, and their spread widens the "
          "intervals of the predictions")
        .from(1, 10000),
    costs("new_tokens", &CostOptions::new_tokens, "length of a generation that measures drafting")
        .in("tokens")
        .from(16, 100000),
    costs("rows", &CostOptions::rows,
          "numbers of rows of the timed forwards, beside "
          "those that the drafts of the axes need")
        .in("rows")
        .from(1, 512),
};

const std::vector<Key<NamedDrafter>> kDrafterKeys{
    drafter("kind", &Drafter::kind,
            "a drafter with a name of its own for `axes.drafter`. `lookup_ngram` and "
            "`lookup_transformer` copy if prompt lookup finds something, and else use n-grams or a "
            "transformer. A `mixture` draws from the mean of its parts' laws")
        .one_of(std::views::drop(engines::kDrafterKinds, 1))
        .shown_as("–"),
    drafter("model", &Drafter::model,
            "folder of the drafter's model, or of a version, as `NAME/v1`; without a version the "
            "newest. If the key is absent, the project's in `results/models`: "
            "`smollm2-unigram`, `-bigram`, `-5gram` (`ngram`, `lookup_ngram`), `-drafter` "
            "(`small_transformer`), `-mlp`, or `-feature` (`feature_transformer`, "
            "`lookup_transformer`). `unigram` and `bigram` need n-grams of that order")
        .only_if("kinds that read a model")
        .shown_as("the project's")
        .written_if_set(),
    drafter("tree", &Drafter::tree,
            "children a level as in `2x2x1`; `parents:0,0,1`; `best_first:NODES` or `beam:NODES`, "
            "also with `:CHILDREN`, from the likeliest tokens; `best_first:30:5x3x2` with children "
            "a level; `suffixes:5:5x3x2` for the five likeliest paths of 5, 3 and 2 tokens a "
            "level. `best_first:adaptive` takes as many nodes as the policy says, 64 at most "
            "(`heuristic` or `constant:N`), and has pilots of its own")
        .only_if("any kind but prompt_lookup")
        .shown_as("the tree of the axis")
        .written_if([](const NamedDrafter& d) { return d.has_tree; }),
    drafter(
        "bridge", &Drafter::bridge,
        "how drafts of a model with another tokenizer cross to the target. `re_encode` decodes the "
        "text and encodes it again, whole; `look_behind` the last tokens alone. `intersection` "
        "drafts tokens that both vocabularies have; `trimmed_intersection` with their rows of the "
        "head alone. `auto` is `look_behind` at temperature 0, else `intersection`")
        .one_of(bridges())
        .only_if(engines::drafters_that<&DrafterTraits::reads_language_model>())
        .shown_as("auto")
        .written_if_set(),
    drafter("max_ngram", &Drafter::max_ngram, "longest suffix that is looked up")
        .in("tokens")
        .from(1, 64)
        .only_if(engines::drafters_that<&DrafterTraits::looks_up>())
        .shown_as("3; mixtures 10")
        .written_if(looks_up),
    drafter("min_ngram", &Drafter::min_ngram, "shortest suffix that is looked up")
        .in("tokens")
        .from(1, 64)
        .only_if(engines::drafters_that<&DrafterTraits::looks_up>())
        .shown_as("1; lookup_transformer 2")
        .written_if(looks_up),
    drafter("lookup_weight", &Drafter::lookup_weight,
            "weight of the copied token in the drafter's law; the model has the rest. The default "
            "is measured: the share of copies with a suffix of this length that came true, in this "
            "text and in others. At temperature 0 the copied token is drafted unless the model "
            "finds another token likelier than this weight")
        .within({.low = 0, .high = 1, .above_low = true})
        .only_if(engines::drafters_that<&DrafterTraits::mixes_copies>())
        .shown_as("as measured")
        .written_if_set(),
    named("parts", &NamedDrafter::parts,
          "2 to 16 kinds or other drafters of the file, as `NAME` or `NAME:WEIGHT`. A part without "
          "a prediction at a place leaves its weight to the others there. The kind `prompt_lookup` "
          "needs a suffix of two tokens here; a `[drafters.NAME]` follows its own keys. Only "
          "n-grams may occur twice")
        .only_if(engines::drafters_that<&DrafterTraits::is_mixture>())
        .shown_as("–")
        .written_if([](const NamedDrafter& d) { return d.options.traits().is_mixture(); }),
};

/// A setting that is off is not written: a restriction of greedy decoding would be refused.
void add_sampling_keys(std::vector<K>& keys) {
  const KeysOf<C, &C::sampling> sampling{"sampling"};
  engines::for_each_sampling_row([&](const auto& row) {
    keys.push_back(sampling(row.name, row.member, row.meaning)
                       .in(row.unit)
                       .from(row.range.config_low, row.range.config_high)
                       .written_if_set());
  });
}

}  // namespace run_rows

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
        "each, or the second of each. The axes are `model` and the keys of `[axes]`; an axis that "
        "stands here stands nowhere else"},
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
  static const std::vector<Key<RunConfig>> all = [] {
    std::vector<Key<RunConfig>> keys = run_rows::kKeys;
    run_rows::add_sampling_keys(keys);
    keys.insert(keys.end(), run_rows::kPromptKeys.begin(), run_rows::kPromptKeys.end());
    return keys;
  }();
  return all;
}
const std::vector<Key<NamedDrafter>>& drafter_keys() { return run_rows::kDrafterKeys; }

std::vector<DescribedKey> described_run_keys() {
  std::vector<DescribedKey> all = described(run_keys()), more = described(drafter_keys());
  const auto axes =
      std::ranges::find(all, "axes", [](const DescribedKey& key) { return key.doc.table; });
  all.insert(axes, more.begin(), more.end());
  for (DescribedKey& key : sweep_keys()) all.push_back(std::move(key));
  return all;
}

}  // namespace speclab::experiments
