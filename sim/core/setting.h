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

  /// Costs name no drafter where they are of plain decoding; they are no such setting.
  bool is_plain() const { return drafter == "none"; }
  Regime regime() const { return regime_of(temperature); }
  /// Plain decoding of the same model, whose walltime is the baseline of a speed-up.
  Setting plain() const;
  /// Drafter, tree and verifier alone.
  Setting drafting() const;
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

}  // namespace speclab
