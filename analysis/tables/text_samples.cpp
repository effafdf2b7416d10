#include "analysis/tables/text_samples.h"

#include <nlohmann/json.hpp>

#include "analysis/tables/json_lines.h"
#include "sim/system/errors.h"

namespace speclab::analysis {
namespace {

using Json = nlohmann::ordered_json;

TokenFate fate_of(const std::string& name) {
  for (const auto fate :
       {TokenFate::plain, TokenFate::accepted, TokenFate::recovered, TokenFate::bonus}) {
    if (name == to_string(fate)) return fate;
  }
  throw DataError("fate '" + escaped(name) + "'; allowed: plain, accepted, recovered, bonus");
}

TextSample text_sample_of(const Json& json) {
  TextSample sample{
      .row_id = whole_number(json, "row_id"), .prompt = text(json, "prompt"), .pieces = {}};
  for (const Json& piece : list(json, "pieces"))
    sample.pieces.push_back({text(piece, "text"), fate_of(text(piece, "fate"))});
  return sample;
}

}  // namespace

std::vector<TextSample> read_text_samples(const std::string& path) {
  std::vector<TextSample> samples;
  for_each_json_line(path, [&](const Json& json) { samples.push_back(text_sample_of(json)); });
  return samples;
}

}  // namespace speclab::analysis
