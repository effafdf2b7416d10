#include "engines/interface/names.h"
#include "sim/policies/simple_policies.h"
#include "tests/engines/exactness/decoder_law.h"

namespace speclab::engines::testing {
namespace {

using speclab::testing::LawKind;
using speclab::testing::Relation;

constexpr const char* kChain = "chain";

/// A draft as long as what the last round accepted, and one more; shorter after a rejection.
class FollowingPolicy final : public SpeculationLengthPolicy {
 public:
  int next_length() override { return length_; }
  void observe(const RoundRecord& round) override {
    length_ = round.next_kind == NextKind::bonus ? round.accepted + 1 : round.accepted;
  }
  std::unique_ptr<SpeculationLengthPolicy> fresh() const override {
    return std::make_unique<FollowingPolicy>();
  }
  std::string name() const override { return "following"; }

 private:
  int length_ = 1;
};

DecoderCase base(std::string name, const char* verifier, const char* tree, int new_tokens) {
  DecoderCase example{.name = std::move(name), .options = {}};
  example.options.drafter = {.kind = "small_transformer", .tree = tree};
  example.options.verifier = verifier;
  example.options.stop.max_new_tokens = new_tokens;
  return example;
}

class Cases {
 public:
  std::vector<DecoderCase> all() {
    for (const char* verifier : kLosslessVerifierKinds)
      if (std::string_view(verifier) != "greedy") add_verifier(verifier);
    for (const char* verifier :
         {"rejection", "block", "sample_and_match", "tree_without_replacement"})
      add_stops(verifier);
    add_processors();
    add_drafters();
    add_greedy();
    add_bridges();
    return std::move(cases_);
  }

 private:
  DecoderCase& add(std::string name, const char* verifier, const char* tree, int new_tokens) {
    return cases_.emplace_back(base(std::move(name), verifier, tree, new_tokens));
  }

  void add_verifier(const std::string& verifier) {
    const char* kind = verifier.c_str();
    add(verifier + "_chain", kind, kChain, 3);
    add(verifier + "_chain_of_a_llama", kind, kChain, 3).models = Models::tiny_llama;
    add(verifier + "_chain_with_zeros", kind, kChain, 3).world = {
        .vocab_size = 3,
        .target_kind = LawKind::with_zeros,
        .draft_kind = LawKind::random,
        .seed = 5};
    add(verifier + "_certain_target", kind, kChain, 3).world.target_kind = LawKind::point_mass;
    add(verifier + "_batch", kind, kChain, 2).prompts = {{0}, {1, 0}};
    cases_.back().world.vocab_size = 2;
    DecoderCase& following = add(verifier + "_adaptive", kind, kChain, 4);
    following.world.vocab_size = 2;
    following.policy = std::make_shared<FollowingPolicy>();
    DecoderCase& three = add(verifier + "_chain_of_three", kind, kChain, 4);
    three.world.vocab_size = 2;
    three.policy = std::make_shared<ConstantPolicy>(3);
    if (verifier == "block") return;
    add(verifier + "_tree_2x1", kind, "2x1", 3).world.vocab_size = 2;
    add(verifier + "_three_siblings", kind, "parents:0,0,0", 2);
    add(verifier + "_uneven_tree", kind, "parents:0,0,2", 3).world = {.vocab_size = 3, .seed = 3};
    add(verifier + "_tree_of_a_llama", kind, "parents:0,0,2", 3).models = Models::tiny_llama;
  }

  void add_stops(const std::string& verifier) {
    const char* kind = verifier.c_str();
    const char* tree = verifier == "tree_without_replacement" ? "2x1" : kChain;
    add(verifier + "_end_token", kind, tree, 3).end_token = 1;
    DecoderCase& strings = add(verifier + "_stop_strings", kind, tree, 4);
    strings.options.stop.stop_strings = {"ab", "bb"};
    strings.world = {.vocab_size = 2, .seed = 4};
    for (const int limit : {1, 2})
      add(verifier + "_limit_" + std::to_string(limit), kind, tree, limit).policy =
          std::make_shared<ConstantPolicy>(4);
  }

  void add_processors() {
    const SamplingOptions settings[] = {{.temperature = 0.6},
                                        {.top_k = 2},
                                        {.top_p = 0.7},
                                        {.repetition_penalty = 1.8},
                                        {.no_repeat_ngram_size = 2},
                                        {.min_length = 4, .eos_token_ids = {1}},
                                        {.temperature = 1.5, .top_p = 0.9, .min_p = 0.2}};
    const char* names[] = {"temperature",        "top_k",           "top_p",
                           "repetition_penalty", "no_repeat_ngram", "min_length",
                           "several_processors"};
    for (std::size_t i = 0; i < std::size(settings); ++i)
      for (const char* tree : {kChain, "parents:0,0,2"}) {
        DecoderCase& example = add(std::string(names[i]) + (tree == kChain ? "_chain" : "_tree"),
                                   "rejection", tree, 3);
        example.options.sampling = settings[i];
        example.end_token = settings[i].min_length > 0 ? 1 : -1;
        example.world.seed = 2;
      }
  }

  void add_drafters() {
    for (const char* drafter : {"none", "unigram", "bigram", "ngram", "prompt_lookup",
                                "lookup_ngram", "lookup_transformer"})
      for (const char* verifier : {"rejection", "block", "sample_and_match", "point_mass"})
        for (const double temperature : {1.0, 0.7}) {
          std::string name = std::string("drafter_") + drafter;
          if (std::string_view(verifier) != "rejection") name += std::string("_") + verifier;
          if (temperature != 1.0) name += "_sharpened";
          DecoderCase& example = add(std::move(name), verifier, kChain, 4);
          example.options.drafter.kind = drafter;
          example.options.sampling.temperature = temperature;
          example.prompts = {{0, 1, 1, 0, 1}};
        }
    add_copying();
    add_mixtures();
    add_grown_trees();
    add_confidence();
    add_tracking();
  }

  /// Trees over drafters without a forward, and trees of the likeliest tokens over any, under every
  /// rule that takes trees.
  void add_grown_trees() {
    add("ngram_tree", "rejection", "parents:0,0,2", 3).options.drafter.kind = "ngram";
    add("lookup_ngram_best_first", "rejection", "best_first:3:2", 3).options.drafter.kind =
        "lookup_ngram";
    add("lookup_transformer_tree", "rejection", "parents:0,0,2", 3).options.drafter.kind =
        "lookup_transformer";
    add("lookup_transformer_beam", "rejection", "beam:3:2", 3).options.drafter.kind =
        "lookup_transformer";
    for (const char* verifier : kLosslessVerifierKinds) {
      if (std::string_view(verifier) == "greedy" || std::string_view(verifier) == "block") continue;
      const std::string suffix =
          std::string_view(verifier) == "rejection" ? "" : std::string("_") + verifier;
      add("best_first" + suffix, verifier, "best_first:3:2", 3).world = {.vocab_size = 3,
                                                                         .seed = 3};
      add("beam" + suffix, verifier, "beam:4:2", 3).options.sampling.temperature = 0.7;
      cases_.back().world.vocab_size = 2;
      add("suffixes" + suffix, verifier, "suffixes:3:3x2", 3).world = {.vocab_size = 3, .seed = 3};
      DecoderCase& adaptive =
          add("adaptive_best_first" + suffix, verifier, "best_first:adaptive:2", 4);
      adaptive.world.vocab_size = 2;
      adaptive.policy = std::make_shared<FollowingPolicy>();
    }
  }

  /// Lengths that follow what was kept.
  void add_tracking() {
    for (const char* verifier : {"rejection", "block", "sample_and_match"}) {
      DecoderCase& example = add(std::string("tracking_") + verifier, verifier, kChain, 4);
      example.world.vocab_size = 2;
      example.policy = std::make_shared<TrackingPolicy>(0.4, 3);
    }
  }

  /// Chains that end behind a token of which the drafter is not sure.
  void add_confidence() {
    for (const char* verifier : {"rejection", "block", "sample_and_match", "point_mass"})
      for (const char* drafter : {"small_transformer", "lookup_ngram"}) {
        DecoderCase& example =
            add(std::string("confidence_") + drafter + "_" + verifier, verifier, kChain, 4);
        example.options.drafter.kind = drafter;
        example.world.vocab_size = 2;
        example.prompts = {{0, 1, 1, 0, 1}};
        example.policy =
            std::make_shared<ConfidencePolicy>(0.5, std::string_view(verifier) == "block" ? 2 : 3);
      }
  }

  /// Drafts of several drafters, one of which often has nothing to say.
  void add_mixtures() {
    const DrafterOptions mixture{.kind = "mixture",
                                 .parts = {{.kind = "small_transformer", .weight = 2.0},
                                           {.kind = "bigram"},
                                           {.kind = "prompt_lookup", .weight = 3.0}}};
    for (const char* verifier : {"rejection", "block", "sample_and_match", "point_mass"}) {
      DecoderCase& chain = add(std::string("mixture_") + verifier, verifier, kChain, 4);
      chain.options.drafter = mixture;
      chain.prompts = {{0, 1, 1, 0, 1}};
    }
    for (const char* tree : {"parents:0,0,2", "best_first:3:2"}) {
      DecoderCase& grown = add(std::string("mixture_") + (tree[0] == 'p' ? "tree" : "best_first"),
                               "rejection", tree, 3);
      grown.options.drafter = mixture;
      grown.options.drafter.tree = tree;
      grown.prompts = {{0, 1, 1, 0, 1}};
    }
  }

  /// Drafts that copy, and go on behind the copy; a batch of prompts, each looked up in itself.
  void add_copying() {
    const std::pair<const char*, DrafterOptions> drafters[] = {
        {"prompt_lookup_batch", {.kind = "prompt_lookup"}},
        {"lookup_ngram_batch", {.kind = "lookup_ngram", .lookup_weight = 0.3}},
        {"lookup_transformer_batch", {.kind = "lookup_transformer", .lookup_weight = 0.3}},
        {"lookup_transformer_batch_certain", {.kind = "lookup_transformer", .lookup_weight = 1.0}},
        {"lookup_ngram_batch_certain", {.kind = "lookup_ngram", .lookup_weight = 1.0}}};
    for (const auto& [name, drafter] : drafters) {
      DecoderCase& example = add(name, "rejection", kChain, 3);
      example.options.drafter = drafter;
      example.world.vocab_size = 2;
      example.prompts = {{0, 1, 1, 0, 1}, {1, 0, 0, 1}};
      example.policy = std::make_shared<ConstantPolicy>(3);
    }
  }

  void add_greedy() {
    for (const char* tree : {kChain, "2x1"})
      for (const LawKind kind : {LawKind::random, LawKind::ties}) {
        DecoderCase& example = add(std::string("greedy_") + (tree == kChain ? "chain" : "tree") +
                                       (kind == LawKind::ties ? "_ties" : ""),
                                   "rejection", tree, 6);
        example.options.sampling.temperature = 0;
        example.world.target_kind = kind;
      }
  }

  DecoderCase& add_bridge(const std::string& bridge, const std::string& name, const char* verifier,
                          const char* tree) {
    DecoderCase& example = add(bridge + "_" + name, verifier, tree, 3);
    example.options.drafter.bridge = bridge;
    return example;
  }

  /// Drafters with another tokenizer: tokens that the target has not, and letters that they lack.
  void add_bridges() {
    for (const char* bridge : {"intersection", "re_encode", "look_behind"}) {
      for (const char* verifier : {"rejection", "block", "sample_and_match", "point_mass"})
        add_bridge(bridge, verifier, verifier, kChain);
      add_bridge(bridge, "end", "rejection", kChain).end_token = 1;
      add_bridge(bridge, "of_a_llama", "rejection", kChain).models = Models::tiny_llama;
      DecoderCase& batch = add_bridge(bridge, "batch", "rejection", kChain);
      batch.prompts = {{0}, {1, 0}};
      batch.options.stop.max_new_tokens = 2;
      add_bridge(bridge, "greedy", "rejection", kChain).options.sampling.temperature = 0;
    }
    add_bridge("intersection", "tree", "tree_naive", "parents:0,0,2");
    add_bridge("intersection", "best_first", "rejection", "best_first:3:2");
  }

  std::vector<DecoderCase> cases_;
};

}  // namespace

const std::vector<DecoderCase>& decoder_cases() {
  static const std::vector<DecoderCase> cases = Cases().all();
  return cases;
}

}  // namespace speclab::engines::testing
