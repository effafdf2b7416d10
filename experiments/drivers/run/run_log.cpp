#include "experiments/drivers/run/run_log.h"

#include <fmt/format.h>

#include "experiments/drivers/run/entry_json.h"
#include "sim/core/errors.h"

namespace speclab::experiments {
namespace {

/// One line: {"kind": entry}. Text that is no UTF-8 is replaced.
std::string payload(const char* kind, const Json& entry) {
  const Json json = {{kind, entry}};
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

template <typename Entry>
std::string list_payload(const char* kind, const std::vector<Entry>& entries) {
  Json list = Json::array();
  for (const Entry& entry : entries) list.push_back(to_json(entry));
  return payload(kind, list);
}

}  // namespace

const char* to_string(FailureStatus status) {
  switch (status) {
    case FailureStatus::exception: return "exception";
    case FailureStatus::out_of_memory: return "out_of_memory";
    case FailureStatus::not_finite: return "not_finite";
    case FailureStatus::timeout: return "timeout";
    case FailureStatus::device: return "device";
    case FailureStatus::crash: return "crash";
  }
  return "";
}

RunLog::RunLog(const std::string& folder, Journal::Tail tail) : journal_(Journal::open(folder, tail)) {
  for (std::size_t i = 0; i < journal_.payloads().size(); ++i) {
    try {
      take(journal_.payloads()[i]);
    } catch (const std::exception& error) {
      throw DataError(fmt::format("{}/journal:{}: {}", folder, i + 1, error.what()));
    }
  }
}

void RunLog::take(const std::string& text) {
  const Json json = Json::parse(text);
  if (!json.is_object() || json.size() != 1) throw DataError("no entry; one is an object with one key");
  const std::string& kind = json.begin().key();
  if (kind != "header" && !header_) throw DataError("an entry before the header");
  const Json& entry = json.begin().value();
  if (kind == "header") header_ = header_entry(entry);
  else if (kind == "row") take(row_entry(entry));
  else if (kind == "failure") take(failure_entry(entry));
  else if (kind == "pilot") pilots_.insert_or_assign(entry.at("pilot").get<std::size_t>(), pilot_entry(entry));
  else if (kind == "pace") paces_.insert_or_assign(entry.at("row_id").get<std::int64_t>(), pace_entry(entry));
  else if (kind == "costs") for (const Json& cost : entry) costs_.push_back(cost_entry(cost));
  else if (kind == "predictions") for (const Json& prediction : entry) predictions_.push_back(prediction_entry(prediction));
  else if (kind == "atlas") atlas_.insert_or_assign(entry.at("cell").get<std::size_t>(), atlas_entry(entry));
  else if (kind == "acceptance") take(acceptance_entry(entry));
  else if (kind == "end") finished_ = entry.value("entries", std::size_t{0}) == num_taken_;
  else throw DataError("'" + escaped(kind) + "' is no kind of entry");
  ++num_taken_;
}

/// A generation that failed before and has a row now has not failed.
void RunLog::take(const RowEntry& entry) {
  rows_.insert_or_assign(entry.row_id, entry);
  failures_.erase(entry.row_id);
}

void RunLog::take(const FailureEntry& entry) {
  if (rows_.contains(entry.row_id)) return;
  const auto [known, is_new] = failures_.try_emplace(entry.row_id, entry);
  if (!is_new && entry.attempts >= known->second.attempts) known->second = entry;
}

void RunLog::include(const RunLog& part) {
  if (!header_) header_ = part.header_;
  if (costs_.empty()) costs_ = part.costs_;
  if (predictions_.empty()) predictions_ = part.predictions_;
  pilots_.insert(part.pilots_.begin(), part.pilots_.end());
  paces_.insert(part.paces_.begin(), part.paces_.end());
  atlas_.insert(part.atlas_.begin(), part.atlas_.end());
  acceptances_.insert(part.acceptances_.begin(), part.acceptances_.end());
  for (const auto& [row_id, row] : part.rows_)
    if (!rows_.contains(row_id)) take(row);
  for (const auto& [row_id, failure] : part.failures_) take(failure);
}

void RunLog::add(const HeaderEntry& entry) {
  journal_.append(payload("header", to_json(entry)));
  header_ = entry;
}

void RunLog::add(const RowEntry& entry) {
  journal_.append(payload("row", to_json(entry)));
  take(entry);
}

void RunLog::add(const FailureEntry& entry) {
  journal_.append(payload("failure", to_json(entry)));
  take(entry);
}

void RunLog::add(const PilotEntry& entry) {
  journal_.append(payload("pilot", to_json(entry)));
  pilots_.insert_or_assign(entry.pilot, entry);
}

void RunLog::add(const PaceEntry& entry) {
  journal_.append(payload("pace", to_json(entry)));
  paces_.insert_or_assign(entry.row_id, entry);
}

void RunLog::add(const std::vector<CostEntry>& entries) {
  journal_.append(list_payload("costs", entries));
  costs_.insert(costs_.end(), entries.begin(), entries.end());
}

void RunLog::add(const std::vector<PredictionEntry>& entries) {
  journal_.append(list_payload("predictions", entries));
  predictions_ = entries;
}

void RunLog::add(const AtlasEntry& entry) {
  journal_.append(payload("atlas", to_json(entry)));
  atlas_.insert_or_assign(entry.cell, entry);
}

void RunLog::add(const AcceptanceEntry& entry) {
  journal_.append(payload("acceptance", to_json(entry)));
  take(entry);
}

void RunLog::add_end() {
  journal_.append(payload("end", {{"entries", journal_.payloads().size()}}));
  finished_ = true;
}

}  // namespace speclab::experiments
