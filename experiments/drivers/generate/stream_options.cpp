#include "experiments/drivers/generate/stream_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engines/interface/names.h"
#include "sim/system/errors.h"

namespace speclab::experiments {
namespace {

void check_name(const char* option, const std::string& name, const auto& names) {
  if (!engines::is_among(name, names))
    throw ConfigError(
        fmt::format("{} '{}'; allowed: {}", option, escaped(name, 40), fmt::join(names, ", ")));
}

}  // namespace

std::string StreamOptions::asked() const {
  if (form && *form != "off") return "--stream " + *form;
  return skip_prompt ? "" : "--skip-prompt false";
}

LeftOutTokens StreamOptions::left_out() const {
  if (skip_special_tokens == "ends") return LeftOutTokens::ends;
  return skip_special_tokens == "true" ? LeftOutTokens::special : LeftOutTokens::none;
}

void StreamOptions::check_names() const {
  if (form) check_name("--stream", *form, kStreamForms);
  check_name("--skip-special-tokens", skip_special_tokens, kSkippedTokens);
}

}  // namespace speclab::experiments
