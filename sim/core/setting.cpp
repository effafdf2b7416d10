#include "sim/core/setting.h"

#include <filesystem>
#include <string_view>

#include "sim/system/versions.h"

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

std::string model_name_of_path(const std::string& path) {
  const std::filesystem::path whole = std::filesystem::path(path).lexically_normal();
  std::filesystem::path last = whole.has_filename() ? whole : whole.parent_path();
  if (version_of_path(path) > 0 && last.has_parent_path()) last = last.parent_path();
  const std::string cache = last.parent_path().parent_path().filename().string();
  const std::size_t name = cache.find("--", std::string_view("models--").size());
  if (last.parent_path().filename() == "snapshots" && cache.starts_with("models--"))
    return cache.substr(name == std::string::npos ? std::string_view("models--").size() : name + 2);
  return last.filename().string();
}

}  // namespace speclab
