#include "analysis/tables/training_curve.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <ranges>

#include "analysis/tables/manifest.h"
#include "analysis/tables/table.h"
#include "sim/core/setting.h"
#include "sim/system/errors.h"
#include "sim/system/files.h"
#include "sim/system/json_text.h"

namespace speclab::analysis {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::uintmax_t kMostManifestBytes = std::uintmax_t{1} << 24;
constexpr int kMostDepth = 64;  ///< each training that went on from another is a level
constexpr std::array<std::string_view, 2> kOfATraining{"config_sha256", "seed"};

[[noreturn]] void refuse(const std::string& path, const std::string& found,
                         const std::string& change) {
  throw DataError(fmt::format("{}: {}; {}", escaped(path, 200), found, change));
}

Json parsed_manifest(const std::string& path) {
  std::error_code none;
  if (!std::filesystem::is_regular_file(path, none))
    refuse(path, "is not a file",
           "a curve of unknown origin is not drawn: put the training's manifest.json beside "
           "training.csv, or train again");
  if (const auto bytes = std::filesystem::file_size(path, none); bytes > kMostManifestBytes)
    refuse(path, fmt::format("{} bytes", bytes),
           fmt::format("allowed: at most {}, as a training writes it; put that file back",
                       kMostManifestBytes));
  const std::string text = read_file(path);
  if (json_depth(text) > kMostDepth)
    refuse(path, fmt::format("more than {} levels of JSON", kMostDepth),
           "allowed: the manifest.json of a training, as it was written");
  try {
    return Json::parse(text);
  } catch (const Json::exception&) {
    refuse(
        path, "no JSON that can be read",
        "allowed: the manifest.json of a training, as it was written; put it back, or train again");
  }
}

/// The text of an entry; empty where it is no text, a blank one or not there.
std::string text_of(const Json& provenance, std::string_view key) {
  const auto found = provenance.find(key);
  if (found == provenance.end() || !found->is_string()) return "";
  const std::string& text = found->get_ref<const std::string&>();
  return text.find_first_not_of(" \t\r\n") == std::string::npos ? "" : escaped(text, 100);
}

/// @param where  in the manifest
TrainingOrigin origin_of(const std::string& path, const std::string& where,
                         const Json& provenance) {
  std::vector<std::string_view> missing;
  const auto look = [&](std::string_view key) {
    if (text_of(provenance, key).empty()) missing.push_back(key);
  };
  std::ranges::for_each(kProgramAndMachine, look);
  std::ranges::for_each(kOfATraining, look);
  if (!missing.empty())
    refuse(
        path, fmt::format("{} has no text for {}", where, fmt::join(missing, ", ")),
        fmt::format("a curve of unknown origin is not drawn: train again or, of a training by an "
                    "older revision, add to \"provenance\" what is known and \"{}\" for the rest",
                    kNotRecorded));
  return {.revision = text_of(provenance, "revision"), .machine = text_of(provenance, "machine")};
}

constexpr double kMostLossNats = 1e3;

constexpr std::size_t kMostRows = 20'000;  ///< one is written every 800 texts or oftener
constexpr std::size_t kMostDrafted = 16;   ///< tokens in a row that a drafter is trained on
constexpr std::uintmax_t kMostCurveBytes = std::uintmax_t{1} << 24;

std::string file_of(const std::string& folder) { return folder + "/training.csv"; }

/// "" of the first drafted token, "_2" of the second.
std::string suffix_of(std::size_t token) {
  return token == 0 ? "" : "_" + std::to_string(token + 1);
}

std::size_t num_drafted(const Table& table) {
  const auto drafted = std::ranges::count_if(table.columns(), [](const std::string& column) {
    return column.starts_with("validation_loss_nats") &&
           !column.starts_with("validation_loss_nats_error");
  });
  return std::max<std::size_t>(1, static_cast<std::size_t>(drafted));
}

bool has_errors(const Table& table) {
  return std::ranges::count(table.columns(), "validation_clusters") > 0;
}

/// Trainings of older revisions did not note errors.
void expect_columns(const Table& table, const std::string& path) {
  if (num_drafted(table) > kMostDrafted)
    throw DataError(fmt::format("{}: columns of {} drafted tokens; allowed: at most {}",
                                escaped(path, 200), num_drafted(table), kMostDrafted));
  std::vector<std::string> names{"tokens", "loss_nats"};
  const auto add = [&](const char* ending) {
    for (std::size_t token = 0; token < num_drafted(table); ++token)
      for (const char* name :
           {"validation_loss_nats", "validation_acceptance_rate", "validation_greedy_agreement"})
        names.push_back(name + (ending + suffix_of(token)));
  };
  add("");
  if (has_errors(table)) names.emplace_back("validation_clusters"), add("_error");
  const std::vector<std::string_view> expected(names.begin(), names.end());
  table.expect_columns(expected);
}

HeldOutPoint held_out(const Table& table, std::size_t row, std::size_t token) {
  const std::string suffix = suffix_of(token);
  HeldOutPoint point{
      .loss = table.number_from(0, kMostLossNats, row, "validation_loss_nats" + suffix),
      .acceptance = table.number_from(0, 1, row, "validation_acceptance_rate" + suffix),
      .agreement = table.number_from(0, 1, row, "validation_greedy_agreement" + suffix)};
  if (!has_errors(table)) return point;
  point.loss_error =
      table.number_from(0, kMostLossNats, row, "validation_loss_nats_error" + suffix);
  point.acceptance_error =
      table.number_from(0, 1, row, "validation_acceptance_rate_error" + suffix);
  point.agreement_error =
      table.number_from(0, 1, row, "validation_greedy_agreement_error" + suffix);
  return point;
}

TrainingPoint read_point(const Table& table, std::size_t row) {
  TrainingPoint point{.tokens = static_cast<double>(table.count(row, "tokens", 1)),
                      .loss = table.number_from(0, kMostLossNats, row, "loss_nats"),
                      .held_out = {}};
  if (has_errors(table)) point.clusters = table.count(row, "validation_clusters", 1);
  for (std::size_t token = 0; token < num_drafted(table); ++token)
    point.held_out.push_back(held_out(table, row, token));
  return point;
}

}  // namespace

std::vector<TrainingOrigin> read_training_origins(const std::string& folder) {
  const std::string path = folder + "/manifest.json";
  const Json manifest = parsed_manifest(path);
  static const Json kNone;
  const auto member = [&](const char* key) -> const Json& {
    const auto found = manifest.find(key);
    return found == manifest.end() ? kNone : *found;
  };
  const Json& earlier = member("earlier_provenance");
  if (!earlier.is_null() && !earlier.is_array())
    refuse(path, "earlier_provenance is no list", "allowed: as a training wrote it");
  std::vector<TrainingOrigin> origins;
  for (std::size_t i = 0; i < earlier.size(); ++i)
    origins.push_back(origin_of(path, fmt::format("earlier_provenance[{}]", i), earlier[i]));
  origins.push_back(origin_of(path, "provenance", member("provenance")));
  return origins;
}

double TrainingPoint::tokens_per_round() const {
  double expected = 1, kept = 1;
  for (const HeldOutPoint& point : held_out) expected += kept *= point.acceptance;
  return expected;
}

double TrainingPoint::tokens_per_round_error() const {
  double error = 0,
         tokens_behind = 1;  // of and behind the drafts from the k-th on, where it is reached
  for (const HeldOutPoint& point : std::views::reverse(held_out)) {
    error = point.acceptance_error * tokens_behind + point.acceptance * error;
    tokens_behind = 1 + point.acceptance * tokens_behind;
  }
  return error;
}

TrainingCurve joined_stages(const std::vector<TrainingCurve>& stages) {
  TrainingCurve joined{.name = stages.back().name, .points = {}};
  for (const TrainingCurve& stage : stages) {
    const double before = joined.points.empty() ? 0 : joined.points.back().tokens;
    const std::size_t drafted = stage.points.front().held_out.size(),
                      first = stages.front().points.front().held_out.size();
    if (drafted != first)
      throw ConfigError(fmt::format("{} drafts {} tokens, {} {}; allowed: stages of one drafter",
                                    stages.front().name, first, stage.name, drafted));
    for (TrainingPoint point : stage.points) {
      point.tokens += before;
      joined.points.push_back(point);
    }
    joined.origins.insert(joined.origins.end(), stage.origins.begin(), stage.origins.end());
    joined.stages += fmt::format("{}{} to {:.0f} thousand tokens", before == 0 ? "" : ", then ",
                                 stage.name, joined.points.back().tokens / 1e3);
  }
  return joined;
}

bool is_training_folder(const std::string& folder) {
  std::error_code none;
  return std::filesystem::is_regular_file(file_of(folder), none) &&
         !std::filesystem::exists(folder + "/manifest.toml", none);
}

TrainingCurve read_training_curve(const std::string& folder) {
  std::error_code none;
  if (const auto bytes = std::filesystem::file_size(file_of(folder), none);
      !none && bytes > kMostCurveBytes)
    throw DataError(fmt::format("{}: {} bytes; allowed: at most {}, the table of a training",
                                escaped(file_of(folder), 200), bytes, kMostCurveBytes));
  const Table table = Table::read(file_of(folder));
  expect_columns(table, file_of(folder));
  if (table.size() == 0)
    throw DataError(file_of(folder) + ": no rows; the training ended before its first report");
  if (table.size() > kMostRows)
    throw DataError(fmt::format("{}: {} rows; allowed: at most {}; leave every other one out",
                                file_of(folder), table.size(), kMostRows));
  TrainingCurve curve{
      .name = escaped(model_name_of_path(std::filesystem::weakly_canonical(folder).string())),
      .points = {},
      .origins = read_training_origins(folder)};
  for (std::size_t row = 0; row < table.size(); ++row) {
    curve.points.push_back(read_point(table, row));
    if (row > 0 && curve.points[row].tokens <= curve.points[row - 1].tokens)
      table.fail(row, "tokens",
                 fmt::format("{}; allowed: more than the {} of the row before",
                             curve.points[row].tokens, curve.points[row - 1].tokens));
  }
  return curve;
}

}  // namespace speclab::analysis
