#pragma once
#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "engines/interface/engines.h"
#include "experiments/drivers/generate/generation_plan.h"
#include "sim/core/speculation_length_policy.h"

namespace speclab::experiments {

/// Everything that the texts of one prompt need.
struct TextWork {
  const GenerateCall& call;  ///< with this prompt's lengths
  engines::Engines& engines;
  engines::LoadedModel& loaded;
  const engines::Request& request;
  const std::string& prompt_id;              ///< name of the prompt in a list; else empty
  engines::EnergyMeter* energy;              ///< null if the machine does not tell any
  std::function<void()> check_interruption;  ///< throws if the user has interrupted
  /// Measures what policy `auto` goes by, and makes it.
  std::function<std::unique_ptr<SpeculationLengthPolicy>(const engines::DecoderOptions&)>
      measure_policy;
  /// Policy `auto` of this model: null before the first text, which measures costs.
  std::unique_ptr<SpeculationLengthPolicy>& measured;
};

// text_in_rounds.cpp and run_search.cpp make the texts.

/// Decodes one prompt in rounds of drafts, and prints text and summary unless --json or
/// --stream json is given. With --side-by-side it decodes plainly first.
/// @return the object that --json prints
nlohmann::ordered_json text_in_rounds(const TextWork& work);

/// Makes the texts of one prompt that rounds alone do not make: a search, or several drawn texts.
/// Prints them, unless --json is given, and a summary on standard error.
/// @return the object that --json prints
nlohmann::ordered_json run_search(const TextWork& work);

/// Says where a drafter's context ended before the text did; empty where none ended.
/// @param num_tokens  of prompt and output
std::string drafter_context_note(engines::Engines& engines, const engines::DrafterOptions& drafter,
                                 std::size_t num_tokens);

// result_json.cpp: texts as --json prints them.

/// A text that rounds made.
struct Outcome {
  GenerationRecord record;
  std::string text;
};

/// Texts of a search, or texts drawn side by side.
struct SearchOutcome {
  struct FoundText {
    engines::FoundSequence sequence;
    std::optional<std::string> text;                               ///< none without a tokenizer
    std::vector<std::vector<std::vector<Token>>> missing_words{};  ///< in the prompt too
  };
  std::vector<FoundText> texts;
  engines::SearchRecord record;       ///< its sequences have become texts
  std::optional<EnergyUse> energy{};  ///< none if no meter told it

  std::int64_t num_tokens() const;
};

double tokens_per_round(const GenerationRecord& record);
double bytes_per_token(const GenerationRecord& record);
/// Energy of decoding, by the tokens that were kept.
std::optional<double> joules_per_token(const GenerationRecord& record);
inline double seconds(std::int64_t ns) { return static_cast<double>(ns) * 1e-9; }

/// The object that `generate --json` prints of a text that rounds made.
/// @param plan  of this text, which --side-by-side makes plainly too
nlohmann::ordered_json outcome_json(const TextWork& work, const GenerationPlan& plan,
                                    const Outcome& outcome);
/// The object that `generate --json` prints of a search.
nlohmann::ordered_json search_json(const TextWork& work, const SearchOutcome& found);

/// A line of `--stream json`: a token of the last round.
/// @param record  with log-probabilities
/// @param text    the piece that the token completes; null where the model has no tokenizer
nlohmann::ordered_json token_json(const GenerationRecord& record, std::size_t index,
                                  const std::string* text);

/// A sentence on how drafts crossed between two tokenizers; empty where they did not.
std::string bridge_note(const GenerationRecord& record);

}  // namespace speclab::experiments
