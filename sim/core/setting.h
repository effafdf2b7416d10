#pragma once
// How a text is decoded, in the names that configs, commands and tables use.

#include <compare>
#include <cstdint>
#include <optional>
#include <string>

namespace speclab {

/// Whether tokens are sampled: laws cost more to make and to draw from.
enum class Regime : std::uint8_t { greedy, sampled };

const char* to_string(Regime regime);
Regime regime_of(double temperature);

/// One value of every axis, and the sampling settings that tables have. A text that does not apply
/// (plain decoding has no tree) or does not count (costs do not depend on the policy) is empty.
struct Setting {
  std::string model{};
  std::string drafter{};  ///< "none" is plain decoding
  std::string tree{};
  std::string policy{};
  std::string verifier{};
  double temperature = 0;
  std::int64_t top_k = 0;
  double top_p = 1;
  double min_p = 0;
  double repetition_penalty = 1;
  std::string weights{};      ///< number format, or "streamed"; empty: as the target's options say
  std::string activations{};  ///< empty: as the target's options say
  std::int32_t batch = 1;     ///< sequences that are decoded together
  std::string generation{};   ///< "num_beams=4;length_penalty=0": keys of GenerationConfig

  /// Costs name no drafter where they are of plain decoding; they are no such setting.
  bool is_plain() const { return drafter == "none"; }
  /// Tables have rounds of it: of drafts, and of the steps that GenerationConfig decides.
  bool has_rounds() const { return !is_plain() || !generation.empty(); }
  Regime regime() const { return regime_of(temperature); }
  /// Plain decoding of the same model, whose walltime is the baseline of a speed-up.
  Setting plain() const;
  /// Drafter, tree and verifier alone.
  Setting drafting() const;
  /// The model as it is loaded: its name, with weights and activations of its own where it has
  /// some, as in "smollm2-135m (q8, int8)".
  std::string loaded_model() const;
  auto operator<=>(const Setting&) const = default;
};

/// Parts of a setting that one asks for; a missing one keeps everything.
struct SettingFilter {
  std::optional<std::string> model{};
  std::optional<std::string> drafter{};
  std::optional<std::string> verifier{};
  std::optional<Regime> regime{};
  std::optional<double> temperature{};

  bool keeps(const Setting& setting) const;
  bool keeps_everything() const;
};

/// The name of a model by its path: the last part, or the model's own name for a snapshot of the
/// hub's cache, "models--ORG--NAME/snapshots/REVISION". A name without a path is itself, and a
/// drafter's version, "NAME/v1", has the drafter's.
std::string model_name_of_path(const std::string& path);

}  // namespace speclab
