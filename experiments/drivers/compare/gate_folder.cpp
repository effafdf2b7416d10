#include "experiments/drivers/compare/gates.h"

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "sim/system/errors.h"
#include "sim/system/files.h"
#include "sim/system/json_text.h"
#include "sim/system/utf8.h"

namespace speclab::experiments {
namespace {

using nlohmann::json;

/// Texts of the file are shown on terminals.
std::string text_of(const json& value) {
  const auto text = value.get<std::string>();
  if (!is_printable(text))
    throw DataError(fmt::format("{}: '{}'; allowed: texts without control characters", kGateFile,
                                escaped(text)));
  return text;
}

std::vector<std::string> texts_of(const json& values) {
  std::vector<std::string> texts;
  for (const json& value : values) texts.push_back(text_of(value));
  return texts;
}

analysis::GateLine line_of(const json& object) {
  analysis::GateLine line{.benchmark = text_of(object.at("benchmark")),
                          .measure = text_of(object.at("measure"))};
  line.pairs.pairs = object.value("pairs", 0);
  return line;
}

BuildGate gate_of(const json& object) {
  BuildGate gate{.base = text_of(object.at("base")),
                 .head = text_of(object.at("head")),
                 .machine = text_of(object.at("machine"))};
  const json& settings = object.at("settings");
  gate.options.pairs = settings.at("pairs").get<int>();
  gate.options.repetitions = settings.at("repetitions").get<int>();
  gate.options.planted_slowdown = settings.at("planted_slowdown").get<double>();
  gate.options.seed = settings.at("seed").get<std::uint64_t>();
  for (const json& line : object.at("benchmarks")) gate.lines.push_back(line_of(line));
  gate.only_base = texts_of(object.at("only_in_base")),
  gate.only_head = texts_of(object.at("only_in_head")), gate.notes = texts_of(object.at("notes"));
  const json seconds = object.value("seconds", json::object());
  for (const auto& [family, of_family] : seconds.items())
    gate.seconds[text_of(family)] = of_family.get<double>();
  return gate;
}

}  // namespace

GateFolder::GateFolder(std::string path) : path_(std::move(path)) {
  if (path_.empty()) return;
  for (const char* file : {kPairsFile, kCountsFile, kGateFile})
    if (std::filesystem::exists(path_ + "/" + file))
      throw ConfigError(
          fmt::format("--output: '{}' holds {} already; allowed: a folder without a gate",
                      escaped(path_), file));
  make_folder(path_);
}

void GateFolder::add(std::span<const analysis::BenchPairRow> rows) {
  if (path_.empty()) return;
  const std::string path = path_ + "/" + kPairsFile, csv = analysis::bench_pairs_table().csv(rows);
  if (has_pairs_)
    append_file(path, csv.substr(csv.find('\n') + 1));
  else
    write_file(path, csv);
  has_pairs_ = true;
}

void GateFolder::add(std::span<const analysis::BenchCountRow> rows) const {
  if (!path_.empty())
    write_file(path_ + "/" + kCountsFile, analysis::bench_counts_table().csv(rows));
}

void GateFolder::write_gate(const BuildGate& gate) const {
  if (!path_.empty()) write_file(path_ + "/" + kGateFile, gate_json(gate) + "\n");
}

BuildGate read_gate(const std::string& folder) {
  const std::string path = folder + "/" + kGateFile;
  if (!std::filesystem::exists(path))
    throw Error(ExitCode::invalid_measurement,
                fmt::format("{}: no {}: the gate was interrupted before its end; measure it again",
                            escaped(folder), kGateFile));
  const std::string text = read_file(path);
  if (json_depth(text) > kMostJsonDepth)
    throw DataError(fmt::format("{}: nested deeper than {}; allowed: the file of a gate",
                                escaped(path), kMostJsonDepth));
  try {
    return gate_of(nlohmann::json::parse(text));
  } catch (const nlohmann::json::exception& error) {
    throw DataError(fmt::format("{}: {}", path, escaped(error.what())));
  }
}

}  // namespace speclab::experiments
