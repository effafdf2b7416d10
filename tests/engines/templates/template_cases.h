#pragma once
// Templates with what jinja2 made of them, from tests/golden/templates.

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "engines/templates/template.h"

namespace speclab::testing {

using Json = nlohmann::ordered_json;

inline std::string golden_template_path(const std::string& name) {
  return std::string(SPECLAB_SOURCE_DIR) + "/tests/golden/templates/" + name;
}

inline std::vector<Json> json_lines(const std::string& path) {
  std::ifstream file(path);
  std::vector<Json> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(Json::parse(line));
  return lines;
}

/// The time that the recipe has for strftime_now.
inline std::string golden_time(const std::string& format) {
  std::tm time{};
  time.tm_year = 124, time.tm_mon = 6, time.tm_mday = 26, time.tm_hour = 13, time.tm_min = 5;
  time.tm_sec = 9, time.tm_wday = 5, time.tm_yday = 207;
  char text[1024];
  return {text, std::strftime(text, sizeof(text), format.c_str(), &time)};
}

/// {"text": ...} or {"error": ..., "message": ...}, like the recipe's outcome.
inline Json outcome_of(const std::string& source, const Json& variables,
                       const templates::Limits& limits = {}) {
  try {
    return {{"text", templates::Template(source, limits)
                         .render(variables, {.limits = limits, .strftime_now = golden_time})}};
  } catch (const templates::TemplateError& error) {
    const char* kinds[] = {"syntax", "raised", "limit", "rendering"};
    return {{"error", kinds[static_cast<int>(error.fault())]}, {"message", error.what()}};
  }
}

}  // namespace speclab::testing
