#pragma once
#include <map>
#include <string>
#include <vector>

#include "engines/interface/round_decoder.h"
#include "experiments/drivers/generation/generation_file.h"
#include "experiments/drivers/generation/generation_options.h"

namespace speclab::experiments {

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

  /// Null if the key has no value.
  const KeyValue& value(const std::string& key) const { return entries_.at(key).value; }
  const std::string& origin(const std::string& key) const { return entries_.at(key).origin; }
  /// True if the command line or a file has it.
  bool is_given(const std::string& key) const { return entries_.at(key).is_given; }
  /// True if a file or the command line has it, and not only the model's folder.
  bool is_given_by_user(const std::string& key) const;
  /// True if the folder has another value of this key.
  bool hides_folder(const std::string& key) const { return entries_.at(key).hides_folder; }
  bool differs_from_transformers(const std::string& key) const;

  bool is_true(const std::string& key) const { return value(key) == true; }
  double number(const std::string& key) const { return value(key).get<double>(); }
  std::int32_t integer(const std::string& key) const { return value(key).get<std::int32_t>(); }

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

  std::map<std::string, Entry> entries_;
  std::vector<std::string> notes_;
};

/// The values that differ from those of transformers 4.49, and those that a folder would change.
KeyValue saved_values(const GenerationConfig& config);

/// Writes them as --generation-config reads them. A reader sees the old file or the whole new one.
/// @throws ConfigError if the path is a folder, WriteError
void save_generation_config(const GenerationConfig& config, const std::string& path);

/// The tokens of a key whose value is a token, a list of them or null.
std::vector<Token> tokens_of(const KeyValue& value);

/// Sampling settings and rules about whole texts.
/// @param greedy_temperature  the temperature where no token is drawn: 0 in rounds, 1 in searches
engines::SamplingOptions sampling_of(const GenerationConfig& config, double greedy_temperature);

/// @param stop  keeps what is no key: ignore_eos
engines::StopOptions stop_of(const GenerationConfig& config, engines::StopOptions stop);

}  // namespace speclab::experiments
