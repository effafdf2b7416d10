#include "experiments/drivers/generate/generation_keys.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>

#include "experiments/drivers/generate/generation_config.h"
#include "sim/system/edit_distance.h"

namespace speclab::experiments {
namespace {

/// Its short names must not reach other files of a unity build.
namespace key_table {

using enum KeyGroup;

using V = GenerationValues;
using S = engines::SearchOptions;
using L = engines::SamplingOptions;
using R = engines::TextRules;
using E = engines::StopOptions;

template <typename Value>
void read(const KeyValue& json, Value& value) {
  value = json.get<Value>();
}
template <typename Value>
void read(const KeyValue& json, std::optional<Value>& value) {
  value = json.get<Value>();
}
/// One item may stand without a list around it.
template <typename Item>
void read(const KeyValue& json, std::vector<Item>& list) {
  if (json.is_array())
    list = json.get<std::vector<Item>>();
  else
    list = {json.get<Item>()};
}
/// A word with one form can stand there without a list around the form.
void read(const KeyValue& json, decltype(S::force_words_ids)& words) {
  for (const KeyValue& word : json)
    words.push_back(word[0].is_array() ? word : KeyValue::array({word}));
}
void read(const KeyValue& json, std::vector<engines::SequenceBias>& biases) {
  for (const KeyValue& pair : json)
    biases.push_back({pair[0].get<std::vector<Token>>(), pair[1].get<double>()});
  biases = engines::last_biases(biases);
}
void read(const KeyValue& json, std::optional<engines::LengthDecay>& decay) {
  decay = {json[0].get<std::int32_t>(), json[1].get<double>()};
}
void read(const KeyValue& json, engines::EarlyStopping& when) {
  using enum engines::EarlyStopping;
  when = json == "never" ? never : json == true ? yes : no;
}

template <auto... path>
void to(const KeyValue& json, V& values) {
  read(json, (values.*....*path));
}
template <auto member>
constexpr auto* search = &to<&V::search, member>;
template <auto member>
constexpr auto* stop = &to<&V::stop, member>;
template <auto member>
constexpr auto* law = &to<&V::sampling, member>;
template <auto member>
constexpr auto* rule = &to<&V::sampling, &L::rules, member>;
constexpr decltype(GenerationKey::put) kNowhere = nullptr;

constexpr double kMostInteger = std::numeric_limits<std::int32_t>::max();

bool is_number(const KeyRange& range, const KeyValue& value) {
  if (!value.is_number()) return false;
  const auto number = value.get<double>();
  const bool above = range.has_least ? number >= range.least : number > range.least;
  const bool below = range.has_most ? number <= range.most : number < range.most;
  return std::isfinite(number) && above && below;
}
bool is_integer(const KeyRange& range, const KeyValue& value) {
  return value.is_number_integer() && is_number(range, value);
}
bool is_token(const KeyValue& value) { return is_integer({0, kMostInteger}, value); }
bool is_text(const KeyValue& value) { return value.is_string() && value != ""; }
bool is_list_of(const KeyValue& value, auto is_item) {
  return value.is_array() && std::ranges::all_of(value, is_item);
}
bool is_some(const KeyValue& value, auto is_item) {
  return is_list_of(value, is_item) && !value.empty();
}
bool is_token_list(const KeyValue& value) { return is_some(value, is_token); }
bool is_word(const KeyValue& value) {
  return is_token_list(value) || is_some(value, is_token_list);
}
bool is_pair(const KeyValue& value) { return value.is_array() && value.size() == 2; }
bool is_bias(const KeyValue& value) {
  return is_pair(value) && is_token_list(value[0]) && is_number({}, value[1]);
}
bool is_decay(const KeyRange& range, const KeyValue& value) {
  return is_pair(value) && is_token(value[0]) && is_number(range, value[1]);
}
bool is_one_of(const KeyValue& value, std::initializer_list<const char*> names) {
  return value.is_string() && std::ranges::find(names, value.get<std::string>()) != names.end();
}

constexpr bool kExclusive = false;
constexpr KeyRange kPositive{.least = 0, .has_least = false};
constexpr KeyForm kBoolean{[](auto, const auto& value) { return value.is_boolean(); },
                           "true or false"},
    kInteger{is_integer, "integers"}, kNumber{is_number, "numbers"},
    kAtLeast0{is_integer, "integers, at least 0", {0, kMostInteger}},
    kAtLeast1{is_integer, "integers, at least 1", {1, kMostInteger}},
    kDraftLength{is_integer, "integers, 1 to 4095", {1, 4095}},
    kTokenId{is_integer, "a token id", {0, kMostInteger}},
    kTemperature{[](auto range, const auto& value) {
                   return is_number(range, value) || (value.is_number() && value == 0);
                 },
                 "0, or at least 0.001",
                 {.least = engines::kLeastTemperature}},
    kNotNegative{is_number, "numbers, at least 0", {.least = 0}},
    kAbove0{is_number, "above 0", kPositive}, kSeconds{is_number, "seconds, above 0", kPositive},
    kShare{is_number, "0 to 1", {0, 1}},
    kBelow1{is_number, "0 to 1, but not 1", {0, 1, true, kExclusive}},
    kMass{is_number, "above 0, at most 1", {0, 1, kExclusive, true}},
    kDecay{is_decay, "a start (at least 0) and a factor (above 0): [20,1.05]", kPositive},
    kAnything{[](auto, const auto&) { return true; }, "anything"},
    kTokens{[](auto, const auto& value) { return is_list_of(value, is_token); },
            "a list of token ids: [1,2]"},
    kEnds{[](auto, const auto& value) { return is_token(value) || is_token_list(value); },
          "a token id or a list of them"},
    kTokenLists{[](auto, const auto& value) { return is_list_of(value, is_token_list); },
                "token lists: [[5,6],[7]]"},
    kWords{[](auto, const auto& value) { return is_some(value, is_word); },
           "token lists: [[5,6]], or lists of alternatives, one of which counts: [[[5],[6]]]"},
    kBiases{[](auto, const auto& value) { return is_list_of(value, is_bias); },
            "pairs of tokens and a bias: [[[5,6],-2.5],[[7],1]]"},
    kTexts{[](auto, const auto& value) { return is_text(value) || is_some(value, is_text); },
           "a text or a list of texts, none of them empty",
           {},
           true},
    kWhenToStop{[](auto, const auto& value) { return value.is_boolean() || value == "never"; },
                "true, false or \"never\"",
                {},
                true},
    kSchedule{[](auto, const auto& value) {
                return is_one_of(value, {"constant", "heuristic", "heuristic_transient"});
              },
              "\"constant\", \"heuristic\" or \"heuristic_transient\"",
              {},
              true},
    kCacheKind{[](auto, const auto& value) {
                 return is_one_of(value, {"static", "offloaded_static", "sliding_window", "hybrid",
                                          "mamba", "offloaded"});
               },
               "static, offloaded_static, sliding_window, hybrid, mamba or offloaded; quantized "
               "would change the text, see --cache-dtype",
               {},
               true};

/// The values of another form, told in other words.
constexpr KeyForm as(KeyForm form, const char* allowed) {
  form.allowed = allowed;
  return form;
}

constexpr const char* kNotBuilt = "null; speclab has not built it";

constexpr GenerationKey kKeys[] = {
    {"do_sample", search<&S::do_sample>, kBoolean, "false",
     "Draw tokens, or take the likeliest; see engines/MODES.md for what counts if it is not given",
     mode},
    {"num_beams", search<&S::num_beams>, kAtLeast1, "1", "Beams that a search keeps; 1 is none",
     mode},
    {"num_beam_groups", search<&S::num_beam_groups>, kAtLeast1, "1",
     "Groups of beams that avoid each other's tokens", mode},
    {"penalty_alpha", search<&S::penalty_alpha>, kShare, "null",
     "Contrastive search: weight of the similarity to earlier tokens", mode},
    {"force_words_ids", search<&S::force_words_ids>, kWords, "null",
     "Words that the text must have", mode},
    {"prompt_lookup_num_tokens", to<&V::prompt_lookup_num_tokens>, kDraftLength, "null",
     "Tokens that prompt lookup drafts a round", mode},

    {"temperature", law<&L::temperature>, kTemperature, "1.0", "0 is greedy", decoding},
    {"top_k", law<&L::top_k>, kAtLeast0, "50", "Keep the k most likely tokens; 0 is off", decoding},
    {"top_p", law<&L::top_p>, kMass, "1.0", "Keep the smallest set of this mass", decoding},
    {"min_p", law<&L::min_p>, kShare, "null", "Keep tokens this likely relative to the best",
     decoding},
    {"typical_p", law<&L::typical_p>, kMass, "1.0", "Keep the most typical tokens of this mass",
     decoding},
    {"epsilon_cutoff", law<&L::epsilon_cutoff>, kBelow1, "0.0", "Keep tokens at least this likely",
     decoding},
    {"eta_cutoff", law<&L::eta_cutoff>, kBelow1, "0.0",
     "Keep tokens at least this likely, with a lower limit if the law is flat", decoding},
    {"repetition_penalty", law<&L::repetition_penalty>, kAbove0, "1.0",
     "Penalty on tokens seen before", decoding},
    {"no_repeat_ngram_size", law<&L::no_repeat_ngram_size>, kAtLeast0, "0",
     "No n-gram of this size twice", decoding},
    {"diversity_penalty", search<&S::diversity_penalty>, kNotNegative, "0.0",
     "Penalty on tokens of earlier groups of beams", decoding},
    {"length_penalty", search<&S::length_penalty>, kNumber, "1.0",
     "A beam's score is its log-probability / length ^ penalty", decoding},
    {"bad_words_ids", rule<&R::bad_words_ids>, kTokenLists, "null", "Sequences that never occur",
     decoding},
    {"sequence_bias", rule<&R::sequence_bias>, kBiases, "null",
     "Sequences that become likelier, or less likely", decoding},
    {"suppress_tokens", law<&L::suppress_tokens>, kTokens, "null", "Tokens that never occur",
     decoding},
    {"begin_suppress_tokens", rule<&R::begin_suppress_tokens>, kTokens, "null",
     "Tokens that are never the first new one", decoding},
    {"forced_bos_token_id", rule<&R::forced_bos_token_id>, kTokenId, "null",
     "The token behind a prompt of one token", decoding},
    {"forced_eos_token_id", rule<&R::forced_eos_token_ids>, kEnds, "null",
     "The last token of a text of full length", decoding},
    {"exponential_decay_length_penalty", rule<&R::exponential_decay_length_penalty>, kDecay, "null",
     "Ends become likelier behind so many new tokens", decoding},
    {"remove_invalid_values", rule<&R::remove_invalid_values>, kBoolean, "false",
     "NaN counts as 0, infinity as the largest number", decoding},
    {"renormalize_logits", rule<&R::renormalize_logits>, kBoolean, "false",
     "Scores of beams are logarithms of a law again", decoding},

    {"max_length", to<&V::max_length>, kAtLeast1, "20", "Tokens at most, prompt included", length},
    {"max_new_tokens", to<&V::max_new_tokens>, kAtLeast1, "null", "Tokens to generate at most",
     length},
    {"min_length", law<&L::min_length>, kAtLeast0, "0",
     "No end before this length, prompt included", length},
    {"min_new_tokens", rule<&R::min_new_tokens>, kAtLeast0, "null",
     "No end before so many new tokens", length},
    {"early_stopping", search<&S::early_stopping>, kWhenToStop, "false",
     "When a search of beams ends", length},
    {"max_time", stop<&E::max_seconds>, kSeconds, "null", "Seconds after which a text ends",
     length},
    {"stop_strings", stop<&E::stop_strings>, kTexts, "null", "Texts that end the text", length},
    {"num_return_sequences", search<&S::num_return_sequences>, kAtLeast1, "1",
     "Texts for each prompt", length},

    {"eos_token_id", to<&V::eos_token_ids>, kEnds, "null", "Tokens that end a text", special_token},
    {"bos_token_id", kNowhere, kInteger, "null", "Nothing here: prompts are never empty",
     special_token},
    {"pad_token_id", kNowhere, kInteger, "null", "Nothing here: no prompt is padded",
     special_token},
    {"decoder_start_token_id", kNowhere, kEnds, "null", "Nothing here: no model has an encoder",
     special_token},

    {"num_assistant_tokens", to<&V::num_assistant_tokens>, kDraftLength, "20",
     "Tokens drafted a round", drafting},
    {"num_assistant_tokens_schedule", to<&V::num_assistant_tokens_schedule>, kSchedule,
     "\"constant\"", "How the number of drafted tokens changes", drafting},
    {"assistant_confidence_threshold", to<&V::assistant_confidence_threshold>, kShare, "0.4",
     "A draft ends behind a token less likely than this; 0 is off", drafting},
    {"max_matching_ngram_size", to<&V::max_matching_ngram_size>, kAtLeast1, "null",
     "Longest suffix that prompt lookup seeks", drafting},

    {"use_cache", kNowhere, kBoolean, "true", "Keys and values are always cached", no_effect},
    {"cache_implementation", kNowhere, kCacheKind, "null", "Kind of cache", no_effect},
    {"cache_config", kNowhere, as(kAnything, "only beside cache_implementation \"static\""), "null",
     "Settings of the cache", no_effect},
    {"return_legacy_cache", kNowhere, kBoolean, "null", "Form of a returned cache", no_effect},
    {"low_memory", kNowhere, kBoolean, "null", "Beams one after the other", no_effect},
    {"output_attentions", kNowhere, kBoolean, "false", "Form of the output", no_effect},
    {"output_hidden_states", kNowhere, kBoolean, "false", "Form of the output", no_effect},
    {"output_scores", kNowhere, kBoolean, "false", "Form of the output", no_effect},
    {"output_logits", kNowhere, kBoolean, "null", "Form of the output", no_effect},
    {"return_dict_in_generate", kNowhere, kBoolean, "false", "Form of the output", no_effect},
    {"is_assistant", kNowhere, kBoolean, "false", "The model drafts for another", no_effect},
    {"assistant_lookbehind", kNowhere, kInteger, "10", "Drafters with other tokenizers", no_effect},
    {"target_lookbehind", kNowhere, kInteger, "10", "Drafters with other tokenizers", no_effect},
    {"compile_config", kNowhere, kAnything, "null", "How forwards are compiled", no_effect},
    {"disable_compile", kNowhere, kBoolean, "false", "How forwards are compiled", no_effect},

    {"dola_layers", kNowhere, as(kAnything, "null; speclab has not built dola_generation"), "null",
     "Layers that DoLa contrasts", refused},
    {"constraints", kNowhere,
     as(kAnything, "null; it holds objects of Python; see force_words_ids"), "null",
     "Constraints on the text", refused},
    {"guidance_scale", kNowhere, as(kNumber, "null or 1; speclab has not built guidance"), "null",
     "Weight of classifier-free guidance", refused},
    {"watermarking_config", kNowhere, as(kAnything, kNotBuilt), "null", "Settings of a watermark",
     refused},
    {"assistant_early_exit", kNowhere, as(kAnything, kNotBuilt), "null",
     "Layers of a target that drafts itself", refused},
    {"encoder_repetition_penalty", kNowhere, as(kNumber, "1; no model has an encoder"), "1.0",
     "Penalty on tokens outside the encoder's input", refused},
    {"encoder_no_repeat_ngram_size", kNowhere, as(kInteger, "0; no model has an encoder"), "0",
     "No n-gram of the encoder's input", refused},
    {"forced_decoder_ids", kNowhere, as(kAnything, "null; transformers 4.49 refuses it too"),
     "null", "Tokens at given places", refused},
    {"token_healing", kNowhere, as(kBoolean, "false; speclab has not built it"), "false",
     "Replaces the last tokens of a prompt", refused},
    {"generation_kwargs", kNowhere, as(kAnything, "{}; give each key by itself"), "{}",
     "Further arguments of generate()", refused},
};

}  // namespace key_table
}  // namespace

std::span<const GenerationKey> generation_keys() { return key_table::kKeys; }

std::string GenerationKey::option() const {
  std::string text = "--" + std::string(name);
  std::ranges::replace(text, '_', '-');
  return text;
}

const GenerationKey* find_generation_key(std::string_view name) {
  const auto keys = generation_keys();
  const auto key = std::ranges::find(keys, name, &GenerationKey::name);
  return key == keys.end() ? nullptr : &*key;
}

std::string nearest_key_hint(std::string_view unknown) {
  const std::string_view found = unknown.substr(0, 100);
  const auto distance = [&](const GenerationKey& key) { return edit_distance(found, key.name); };
  return fmt::format("; did you mean {}?",
                     std::ranges::min_element(generation_keys(), {}, distance)->name);
}

}  // namespace speclab::experiments
