#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engines/interface/round_decoder.h"
#include "experiments/drivers/generate/generation_keys.h"

namespace speclab::experiments {

struct GenerationOptions;

/// The values of all keys that have an effect, in the types that the engines take. A key whose
/// value is null leaves the default.
struct GenerationValues {
  engines::SamplingOptions sampling{};  ///< read as if tokens were drawn; no ends
  engines::SearchOptions search{};      ///< read as if there were a search
  engines::StopOptions stop{};          ///< max_seconds and stop_strings
  std::vector<Token> eos_token_ids{};
  std::optional<std::int32_t> max_length{}, max_new_tokens{};
  std::int32_t prompt_lookup_num_tokens = 0;  ///< 0: no prompt lookup
  std::int32_t max_matching_ngram_size = 0;   ///< 0: not given
  std::int32_t num_assistant_tokens = 0;
  std::string num_assistant_tokens_schedule{};
  double assistant_confidence_threshold = 0.0;
};

inline constexpr const char* kCommandLine = "command line";

/// The value that an absent key counts as.
enum class AbsentKeys : std::uint8_t { as_speclab, as_transformers };

/// Places that values come from; the first that has a key decides.
struct GenerationSources {
  GivenValues command_line{.origin = kCommandLine};
  std::optional<GivenValues> file{}, folder{};
};

/// @param model  as --model has it
/// @throws ConfigError for a file that cannot be read, an unknown key and a value out of range
GenerationSources read_generation_sources(const GenerationOptions& options,
                                          const std::string& model);

/// True if the folder's file has keys of decoding or drafting, or lengths.
bool changes_texts(const GivenValues& folder);

/// The values of all keys, each with its origin.
///
/// Absent keys count as in transformers 4.49 if a file is given or a key that chooses the mode.
/// Otherwise texts are drawn from the model's whole law, as speclab does without GenerationConfig.
class GenerationConfig {
 public:
  /// @throws ConfigError if values of the command line contradict each other
  explicit GenerationConfig(const GenerationSources& sources);

  const GenerationValues& values() const { return values_; }
  /// The form that is shown and saved; null if the key has no value.
  const KeyValue& value(const std::string& key) const { return entries_.at(key).value; }
  const std::string& origin(const std::string& key) const { return entries_.at(key).origin; }
  /// True if the command line or a file has it.
  bool is_given(const std::string& key) const { return entries_.at(key).is_given; }
  /// True if a file or the command line has it, and not only the model's folder.
  bool is_given_by_user(const std::string& key) const;
  /// True if the folder has another value of this key.
  bool hides_folder(const std::string& key) const { return entries_.at(key).hides_folder; }
  bool differs_from_transformers(const std::string& key) const;

  bool looks_up() const { return values_.prompt_lookup_num_tokens > 0; }

  /// Lines for standard error.
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  struct Entry {
    KeyValue value;
    std::string origin;
    bool is_given = false, hides_folder = false;
  };

  void set_defaults(AbsentKeys absent);
  void set_given(const GivenValues& given);
  void decide_sampling(const GenerationSources& sources);
  void decide_length();
  void note_folder(const GenerationSources& sources, bool folder_decides);

  GenerationValues values_;
  std::map<std::string, Entry> entries_;
  std::vector<std::string> notes_;
};

/// "num_beams = 4 (command line)".
std::string named_value(const GenerationConfig& config, const std::string& key);

/// Throws ConfigError with the values of some keys and what is allowed.
[[noreturn]] void refuse_values(const GenerationConfig& config,
                                const std::vector<std::string>& keys, const std::string& allowed);

/// The values that differ from those of transformers 4.49, and those that a folder would change.
KeyValue saved_values(const GenerationConfig& config);

/// Writes them as --generation-config reads them. A reader sees the old file or the whole new one.
/// @throws ConfigError if the path is a folder, WriteError
void save_generation_config(const GenerationConfig& config, const std::string& path);

/// Sampling settings and rules about whole texts. Cutoffs count only where tokens are drawn; else
/// the temperature is 0.
engines::SamplingOptions sampling_of(const GenerationConfig& config);

/// @param stop  keeps what is no key: ignore_eos
engines::StopOptions stop_of(const GenerationConfig& config, engines::StopOptions stop);

}  // namespace speclab::experiments
