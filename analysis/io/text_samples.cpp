#include "analysis/io/text_samples.h"

#include <nlohmann/json.hpp>
#include <sstream>

#include "sim/core/files.h"
#include "sim/core/errors.h"

namespace speclab::analysis {
namespace {

TokenFate fate_of(const std::string& name) {
  for (const auto fate : {TokenFate::plain, TokenFate::accepted, TokenFate::recovered, TokenFate::bonus}) {
    if (name == to_string(fate)) return fate;
  }
  throw DataError("fate '" + escaped(name) + "'; allowed: plain, accepted, recovered, bonus");
}

TextSample parse_sample(const std::string& line) {
  const auto json = nlohmann::json::parse(line);
  TextSample sample{.row_id = json.at("row_id").get<std::int64_t>(), .prompt = json.at("prompt").get<std::string>(), .pieces = {}};
  for (const auto& piece : json.at("pieces")) {
    sample.pieces.push_back({piece.at("text").get<std::string>(), fate_of(piece.at("fate").get<std::string>())});
  }
  return sample;
}

}  // namespace

std::vector<TextSample> read_text_samples(const std::string& path) {
  std::vector<TextSample> samples;
  std::istringstream stream(read_file(path));
  std::string line;
  for (int number = 1; std::getline(stream, line); ++number) {
    try {
      samples.push_back(parse_sample(line));
    } catch (const std::exception& error) {
      throw DataError(path + ":" + std::to_string(number) + ": " + error.what());
    }
  }
  return samples;
}

}  // namespace speclab::analysis
