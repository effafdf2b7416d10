#include "sim/core/setting.h"

namespace speclab {

const char* to_string(Regime regime) { return regime == Regime::greedy ? "greedy" : "sampled"; }

Regime regime_of(double temperature) { return temperature == 0 ? Regime::greedy : Regime::sampled; }

Setting Setting::plain() const {
  Setting setting = *this;
  setting.drafter = "none";
  setting.tree = setting.policy = setting.verifier = "";
  return setting;
}

Setting Setting::drafting() const {
  return {.drafter = drafter, .tree = tree, .verifier = verifier};
}

std::string Setting::loaded_model() const {
  if (weights.empty() && activations.empty()) return model;
  const char* both = weights.empty() || activations.empty() ? "" : ", ";
  return model + " (" + weights + both + activations + ")";
}

bool SettingFilter::keeps(const Setting& setting) const {
  const auto is = [](const auto& wanted, const auto& value) { return !wanted || *wanted == value; };
  return is(model, setting.model) && is(drafter, setting.drafter) &&
         is(verifier, setting.verifier) && is(regime, setting.regime()) &&
         is(temperature, setting.temperature);
}

bool SettingFilter::keeps_everything() const {
  return !model && !drafter && !verifier && !regime && !temperature;
}

}  // namespace speclab
