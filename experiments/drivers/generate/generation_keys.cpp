#include "experiments/drivers/generate/generation_keys.h"

#include <fmt/format.h>

#include <algorithm>

#include "experiments/drivers/generate/generation_config.h"
#include "sim/system/edit_distance.h"

namespace speclab::experiments {
namespace {

/// Its short names must not reach other files of a unity build.
namespace key_table {

using enum KeyForm;
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
constexpr KeyRange kAtLeast0{0, kMostInteger}, kAtLeast1{1, kMostInteger}, kShare{0, 1},
    kPositive{.least = 0, .has_least = false}, kPositiveShare{0, 1, false, true},
    kBelow1{0, 1, true, false}, kNotNegative{.least = 0}, kDraftLength{1, 4095}, kNumber{};
constexpr const char* kBooleans = "true or false";
constexpr const char* kTokens = "a list of token ids: [1,2]";
constexpr const char* kNotBuilt = "null; speclab has not built it";

constexpr GenerationKey kKeys[] = {
    {"do_sample", search<&S::do_sample>, boolean, "false", kBooleans,
     "Draw tokens, or take the likeliest; see engines/MODES.md for what counts if it is not given",
     mode},
    {"num_beams", search<&S::num_beams>, integer, "1", "integers, at least 1",
     "Beams that a search keeps; 1 is none", mode, kAtLeast1},
    {"num_beam_groups", search<&S::num_beam_groups>, integer, "1", "integers, at least 1",
     "Groups of beams that avoid each other's tokens", mode, kAtLeast1},
    {"penalty_alpha", search<&S::penalty_alpha>, number, "null", "0 to 1",
     "Contrastive search: weight of the similarity to earlier tokens", mode, kShare},
    {"force_words_ids", search<&S::force_words_ids>, words, "null",
     "token lists: [[5,6]], or lists of alternatives, one of which counts: [[[5],[6]]]",
     "Words that the text must have", mode},
    {"prompt_lookup_num_tokens", to<&V::prompt_lookup_num_tokens>, integer, "null",
     "integers, 1 to 4095", "Tokens that prompt lookup drafts a round", mode, kDraftLength},

    {"temperature", law<&L::temperature>, temperature, "1.0", "0, or at least 0.001", "0 is greedy",
     decoding, kNotNegative},
    {"top_k", law<&L::top_k>, integer, "50", "integers, at least 0",
     "Keep the k most likely tokens; 0 is off", decoding, kAtLeast0},
    {"top_p", law<&L::top_p>, number, "1.0", "above 0, at most 1",
     "Keep the smallest set of this mass", decoding, kPositiveShare},
    {"min_p", law<&L::min_p>, number, "null", "0 to 1",
     "Keep tokens this likely relative to the best", decoding, kShare},
    {"typical_p", law<&L::typical_p>, number, "1.0", "above 0, at most 1",
     "Keep the most typical tokens of this mass", decoding, kPositiveShare},
    {"epsilon_cutoff", law<&L::epsilon_cutoff>, number, "0.0", "0 to 1, but not 1",
     "Keep tokens at least this likely", decoding, kBelow1},
    {"eta_cutoff", law<&L::eta_cutoff>, number, "0.0", "0 to 1, but not 1",
     "Keep tokens at least this likely, with a lower limit if the law is flat", decoding, kBelow1},
    {"repetition_penalty", law<&L::repetition_penalty>, number, "1.0", "above 0",
     "Penalty on tokens seen before", decoding, kPositive},
    {"no_repeat_ngram_size", law<&L::no_repeat_ngram_size>, integer, "0", "integers, at least 0",
     "No n-gram of this size twice", decoding, kAtLeast0},
    {"diversity_penalty", search<&S::diversity_penalty>, number, "0.0", "numbers, at least 0",
     "Penalty on tokens of earlier groups of beams", decoding, kNotNegative},
    {"length_penalty", search<&S::length_penalty>, number, "1.0", "numbers",
     "A beam's score is its log-probability / length ^ penalty", decoding, kNumber},
    {"bad_words_ids", rule<&R::bad_words_ids>, token_lists, "null", "token lists: [[5,6],[7]]",
     "Sequences that never occur", decoding},
    {"sequence_bias", rule<&R::sequence_bias>, biases, "null",
     "pairs of tokens and a bias: [[[5,6],-2.5],[[7],1]]",
     "Sequences that become likelier, or less likely", decoding},
    {"suppress_tokens", law<&L::suppress_tokens>, tokens, "null", kTokens,
     "Tokens that never occur", decoding},
    {"begin_suppress_tokens", rule<&R::begin_suppress_tokens>, tokens, "null", kTokens,
     "Tokens that are never the first new one", decoding},
    {"forced_bos_token_id", rule<&R::forced_bos_token_id>, integer, "null", "a token id",
     "The token behind a prompt of one token", decoding, kAtLeast0},
    {"forced_eos_token_id", rule<&R::forced_eos_token_ids>, token_or_tokens, "null",
     "a token id or a list of them", "The last token of a text of full length", decoding,
     kAtLeast0},
    {"exponential_decay_length_penalty", rule<&R::exponential_decay_length_penalty>, decay, "null",
     "a start (at least 0) and a factor (above 0): [20,1.05]",
     "Ends become likelier behind so many new tokens", decoding},
    {"remove_invalid_values", rule<&R::remove_invalid_values>, boolean, "false", kBooleans,
     "NaN counts as 0, infinity as the largest number", decoding},
    {"renormalize_logits", rule<&R::renormalize_logits>, boolean, "false", kBooleans,
     "Scores of beams are logarithms of a law again", decoding},

    {"max_length", to<&V::max_length>, integer, "20", "integers, at least 1",
     "Tokens at most, prompt included", length, kAtLeast1},
    {"max_new_tokens", to<&V::max_new_tokens>, integer, "null", "integers, at least 1",
     "Tokens to generate at most", length, kAtLeast1},
    {"min_length", law<&L::min_length>, integer, "0", "integers, at least 0",
     "No end before this length, prompt included", length, kAtLeast0},
    {"min_new_tokens", rule<&R::min_new_tokens>, integer, "null", "integers, at least 0",
     "No end before so many new tokens", length, kAtLeast0},
    {"early_stopping", search<&S::early_stopping>, when_to_stop, "false",
     "true, false or \"never\"", "When a search of beams ends", length},
    {"max_time", stop<&E::max_seconds>, number, "null", "seconds, above 0",
     "Seconds after which a text ends", length, kPositive},
    {"stop_strings", stop<&E::stop_strings>, text_or_texts, "null",
     "a text or a list of texts, none of them empty", "Texts that end the text", length},
    {"num_return_sequences", search<&S::num_return_sequences>, integer, "1", "integers, at least 1",
     "Texts for each prompt", length, kAtLeast1},

    {"eos_token_id", to<&V::eos_token_ids>, token_or_tokens, "null", "a token id or a list of them",
     "Tokens that end a text", special_token, kAtLeast0},
    {"bos_token_id", kNowhere, integer, "null", "integers", "Nothing here: prompts are never empty",
     special_token},
    {"pad_token_id", kNowhere, integer, "null", "integers", "Nothing here: no prompt is padded",
     special_token},
    {"decoder_start_token_id", kNowhere, token_or_tokens, "null", "a token id or a list of them",
     "Nothing here: no model has an encoder", special_token, kAtLeast0},

    {"num_assistant_tokens", to<&V::num_assistant_tokens>, integer, "20", "integers, 1 to 4095",
     "Tokens drafted a round", drafting, kDraftLength},
    {"num_assistant_tokens_schedule", to<&V::num_assistant_tokens_schedule>, schedule,
     "\"constant\"", "\"constant\", \"heuristic\" or \"heuristic_transient\"",
     "How the number of drafted tokens changes", drafting},
    {"assistant_confidence_threshold", to<&V::assistant_confidence_threshold>, number, "0.4",
     "0 to 1", "A draft ends behind a token less likely than this; 0 is off", drafting, kShare},
    {"max_matching_ngram_size", to<&V::max_matching_ngram_size>, integer, "null",
     "integers, at least 1", "Longest suffix that prompt lookup seeks", drafting, kAtLeast1},

    {"use_cache", kNowhere, boolean, "true", kBooleans, "Keys and values are always cached",
     no_effect},
    {"cache_implementation", kNowhere, cache_kind, "null",
     "static, offloaded_static, sliding_window, hybrid, mamba or offloaded; quantized would change "
     "the text, see --cache-dtype",
     "Kind of cache", no_effect},
    {"cache_config", kNowhere, anything, "null", "only beside cache_implementation \"static\"",
     "Settings of the cache", no_effect},
    {"return_legacy_cache", kNowhere, boolean, "null", kBooleans, "Form of a returned cache",
     no_effect},
    {"low_memory", kNowhere, boolean, "null", kBooleans, "Beams one after the other", no_effect},
    {"output_attentions", kNowhere, boolean, "false", kBooleans, "Form of the output", no_effect},
    {"output_hidden_states", kNowhere, boolean, "false", kBooleans, "Form of the output",
     no_effect},
    {"output_scores", kNowhere, boolean, "false", kBooleans, "Form of the output", no_effect},
    {"output_logits", kNowhere, boolean, "null", kBooleans, "Form of the output", no_effect},
    {"return_dict_in_generate", kNowhere, boolean, "false", kBooleans, "Form of the output",
     no_effect},
    {"is_assistant", kNowhere, boolean, "false", kBooleans, "The model drafts for another",
     no_effect},
    {"assistant_lookbehind", kNowhere, integer, "10", "integers", "Drafters with other tokenizers",
     no_effect},
    {"target_lookbehind", kNowhere, integer, "10", "integers", "Drafters with other tokenizers",
     no_effect},
    {"compile_config", kNowhere, anything, "null", "anything", "How forwards are compiled",
     no_effect},
    {"disable_compile", kNowhere, boolean, "false", kBooleans, "How forwards are compiled",
     no_effect},

    {"dola_layers", kNowhere, anything, "null", "null; speclab has not built dola_generation",
     "Layers that DoLa contrasts", refused},
    {"constraints", kNowhere, anything, "null",
     "null; it holds objects of Python; see force_words_ids", "Constraints on the text", refused},
    {"guidance_scale", kNowhere, number, "null", "null or 1; speclab has not built guidance",
     "Weight of classifier-free guidance", refused},
    {"watermarking_config", kNowhere, anything, "null", kNotBuilt, "Settings of a watermark",
     refused},
    {"assistant_early_exit", kNowhere, anything, "null", kNotBuilt,
     "Layers of a target that drafts itself", refused},
    {"encoder_repetition_penalty", kNowhere, number, "1.0", "1; no model has an encoder",
     "Penalty on tokens outside the encoder's input", refused},
    {"encoder_no_repeat_ngram_size", kNowhere, integer, "0", "0; no model has an encoder",
     "No n-gram of the encoder's input", refused},
    {"forced_decoder_ids", kNowhere, anything, "null", "null; transformers 4.49 refuses it too",
     "Tokens at given places", refused},
    {"token_healing", kNowhere, boolean, "false", "false; speclab has not built it",
     "Replaces the last tokens of a prompt", refused},
    {"generation_kwargs", kNowhere, anything, "{}", "{}; give each key by itself",
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
