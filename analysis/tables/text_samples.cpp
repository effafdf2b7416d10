#include "analysis/tables/text_samples.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <sstream>
#include <utility>

#include "analysis/tables/run_folder.h"
#include "sim/system/errors.h"
#include "sim/system/files.h"
#include "sim/system/json_text.h"

namespace speclab::analysis {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostShown = 100;  ///< characters of what was found

std::string shown(const Json& value) { return shown_json(value, kMostShown); }

const Json& member(const Json& object, const char* key) {
  if (!object.is_object())
    throw DataError(fmt::format("{}; allowed: an object with '{}'", shown(object), key));
  const auto found = object.find(key);
  if (found == object.end())
    throw DataError(fmt::format("no '{}'; allowed: an object that has it", key));
  return *found;
}

/// The member where `is_allowed` says so.
const Json& typed(const Json& object, const char* key, bool (Json::*is_allowed)() const noexcept,
                  const char* allowed) {
  const Json& value = member(object, key);
  if (!(value.*is_allowed)())
    throw DataError(fmt::format("{} = {}; allowed: {}", key, shown(value), allowed));
  return value;
}

Json parsed(const std::string& line) {
  if (json_depth(line) > kMostJsonDepth)
    throw DataError(fmt::format("{} levels of lists and objects; allowed: at most {}",
                                json_depth(line), kMostJsonDepth));
  try {
    return Json::parse(line);
  } catch (const Json::parse_error& error) {
    throw DataError(fmt::format("byte {}: no JSON; allowed: an object", error.byte));
  }
}

/// Visits the objects of a file with one a line. @throws DataError with file and line for a line
/// that is no JSON, or where `visit` throws
void for_each_json_line(const std::string& path, const std::function<void(const Json&)>& visit) {
  std::istringstream lines(read_file(path));
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    try {
      visit(parsed(line));
    } catch (const DataError& error) {
      throw DataError(fmt::format("{}:{}: {}", path, number, error.what()));
    }
  }
}

// Members by their names, of that type: a whole number is one without a point. They throw DataError
// with what was found and what is allowed.

std::int64_t whole_number(const Json& object, const char* key) {
  const Json& value = typed(object, key, &Json::is_number_integer, "an integer");
  if (value.is_number_unsigned() && !std::in_range<std::int64_t>(value.get<std::uint64_t>()))
    throw DataError(fmt::format("{} = {}; allowed: an integer of 64 bits", key, shown(value)));
  return value.get<std::int64_t>();
}

double number(const Json& object, const char* key) {
  return typed(object, key, &Json::is_number, "a number").get<double>();
}

bool flag(const Json& object, const char* key) {
  return typed(object, key, &Json::is_boolean, "true or false").get<bool>();
}

const std::string& text(const Json& object, const char* key) {
  return typed(object, key, &Json::is_string, "a text").get_ref<const std::string&>();
}

const Json& list(const Json& object, const char* key) {
  return typed(object, key, &Json::is_array, "a list");
}

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

double rounded(double probability) { return std::round(probability * 1e4) / 1e4; }

double probability_of(const Json& node, const char* key) {
  const double value = number(node, key);
  if (!(value >= 0.0 && value <= 1.0))
    throw DataError(fmt::format("{} = {}; allowed: a probability from 0 to 1", key, value));
  return value;
}

Json to_json(const DraftNode& node) {
  Json json = Json::object();  // written member by member: a list of members copies each
  json["parent"] = node.parent;
  json["token"] = node.token;
  json["p"] = rounded(node.target_probability);
  json["accepted"] = node.is_accepted;
  if (node.draft_probability) json["q"] = rounded(*node.draft_probability);
  return json;
}

DraftNode node_of(const Json& json, std::size_t place) {
  DraftNode node{.parent = whole_number(json, "parent"),
                 .token = text(json, "token"),
                 .target_probability = probability_of(json, "p"),
                 .is_accepted = flag(json, "accepted")};
  if (json.contains("q")) node.draft_probability = probability_of(json, "q");
  if (node.parent < 0 || node.parent >= static_cast<std::int64_t>(std::max<std::size_t>(place, 1)))
    throw DataError(
        fmt::format("node {} has the parent {}; allowed: a node before it", place, node.parent));
  return node;
}

DraftSample draft_sample_of(const Json& json) {
  DraftSample sample{.row_id = whole_number(json, "row_id")};
  for (const Json& round : list(json, "rounds")) sample.rounds.push_back(drafted_round(round));
  return sample;
}

std::int64_t num_drafted(const DraftedRound& round) {
  return std::max<std::int64_t>(0, static_cast<std::int64_t>(round.nodes.size()) - 1);
}

/// Plain decoding drafts nothing; rounds are numbered from 0 and do what rounds.csv has of them.
void check_generation(const DraftSample& sample, const Run& run) {
  const auto found = run.generation_of_row.find(sample.row_id);
  if (found == run.generation_of_row.end())
    throw DataError(fmt::format("row_id {} is not in rows.csv", sample.row_id));
  const Generation& generation = run.generations[found->second];
  const auto known = static_cast<std::size_t>(generation.axes.is_plain() ? 0 : generation.rounds);
  if (sample.rounds.size() > known)
    throw DataError(fmt::format("row_id {}: {} rounds, rows.csv has {}", sample.row_id,
                                sample.rounds.size(), known));
  for (std::size_t i = 0; i < sample.rounds.size(); ++i) {
    const DraftedRound& round = sample.rounds[i];
    const Round& row = run.rounds[generation.first_round + i];
    if (round.round != static_cast<std::int64_t>(i) || num_drafted(round) != row.drafted ||
        round.accepted != row.accepted)
      throw DataError(
          fmt::format("row_id {}, round {}: not what rounds.csv has", sample.row_id, i));
  }
}

}  // namespace

std::vector<TextSample> read_text_samples(const std::string& path) {
  std::vector<TextSample> samples;
  for_each_json_line(path, [&](const Json& json) { samples.push_back(text_sample_of(json)); });
  return samples;
}

Json to_json(const DraftedRound& round) {
  Json nodes = Json::array();
  for (const DraftNode& node : round.nodes) nodes.push_back(to_json(node));
  Json json = Json::object();
  json["round"] = round.round;
  json["nodes"] = std::move(nodes);
  json["accepted"] = round.accepted;
  json["next"] = round.next;
  json["next_kind"] = to_string(round.next_kind);
  return json;
}

DraftedRound drafted_round(const Json& json) {
  DraftedRound round{.round = whole_number(json, "round"),
                     .accepted = whole_number(json, "accepted"),
                     .next = text(json, "next")};
  const std::string& kind = text(json, "next_kind");
  if (kind != to_string(NextKind::recovered) && kind != to_string(NextKind::bonus))
    throw DataError("next_kind '" + escaped(kind, 100) + "'; allowed: recovered, bonus");
  round.next_kind = kind == to_string(NextKind::bonus) ? NextKind::bonus : NextKind::recovered;
  const Json& nodes = list(json, "nodes");
  if (nodes.size() > kMostDraftNodes)
    throw DataError(fmt::format("{} nodes; allowed: at most {}", nodes.size(), kMostDraftNodes));
  for (const Json& node : nodes) round.nodes.push_back(node_of(node, round.nodes.size()));
  return round;
}

std::vector<DraftSample> read_drafts(const std::string& path, const Run& run) {
  std::vector<DraftSample> samples;
  if (!std::filesystem::exists(path)) return samples;
  for_each_json_line(path, [&](const Json& json) {
    samples.push_back(draft_sample_of(json));
    check_generation(samples.back(), run);
  });
  return samples;
}

}  // namespace speclab::analysis
