#include "experiments/drivers/run/run_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <ranges>

#include "experiments/drivers/run/origin.h"
#include "sim/core/errors.h"

namespace speclab::experiments {
namespace {

Json keyed(Json entry, const std::string& key) {
  entry["key"] = key;
  return entry;
}

}  // namespace

RunLog::RunLog(const std::string& folder, Journal::Tail tail) : folder_(folder), journal_(Journal::open(folder, tail)) {
  for (std::size_t i = 0; i < journal_.payloads().size(); ++i) {
    try {
      take(journal_.payloads()[i]);
    } catch (const std::exception& error) {
      throw DataError(fmt::format("{}/journal:{}: {}", folder, i + 1, error.what()));
    }
  }
}

/// {"kind": entry}, of a section but the first {"kind": entry, "section": number}.
void RunLog::take(const std::string& text) {
  const Json json = Json::parse(text);
  if (!json.is_object() || json.empty() || json.size() > 2 || (json.size() == 2 && !json.contains("section"))) throw DataError("no entry; one is an object with one key, and its section");
  const int number = json.value("section", 1);
  const std::string& kind = json.begin().key();
  const Json& entry = json.begin().value();
  const auto section = sections_.find(number);
  if (kind == "header") open(number, entry);
  else if (sections_.empty()) throw DataError("an entry before the header");
  else if (section == sections_.end()) ++num_orphans_;
  else if (kind == "end") section->second.finished = entry.value("entries", std::size_t{0}) == num_taken_;
  else section->second.take(kind, entry);
  num_opened_ = std::max(num_opened_, number);
  ++num_taken_;
}

void RunLog::open(int number, const Json& header) {
  if (!sections_.try_emplace(number, Section{.header = header_entry(header)}).second) throw DataError(fmt::format("section {} begins a second time", number));
  header_ = sections_.at(number).header;
}

void RunLog::include(const RunLog& part) {
  for (const auto& [number, section] : part.sections_) {
    const auto [own, is_new] = sections_.try_emplace(number, section);
    if (!is_new) own->second.include(section);
  }
  num_opened_ = std::max(num_opened_, part.num_opened_);
}

int RunLog::section_of(const Plan& plan) const {
  const std::string digest = plan_digest(plan);
  for (const auto& [number, section] : std::views::reverse(sections_))
    if (section.header.plan_digest == digest) return number;
  return 0;
}

void RunLog::look_at(const Plan& plan) {
  keys_ = std::make_shared<const WorkKeys>(plan);
  section_ = section_of(plan);
  header_.reset();
  if (section_ > 0) {
    Section& own = sections_.at(section_);
    header_ = own.header;
    costs_ = std::move(own.costs);
    finished_ = own.finished;
    take_predictions(own);
    for (auto& [key, pace] : own.paces) {
      pace.row_id = static_cast<std::int64_t>(*known(keys_->row_of(key), true, key));
      paces_.emplace(pace.row_id, std::move(pace));
    }
    take_tables(own);
    take_rows(section_, own);
  }
  for (auto& [number, section] : std::views::reverse(sections_))  // the newest is the likeliest to be of the same origin
    if (number != section_) take_rows(number, section);
  drop_foreign_pilots();
}

std::optional<std::size_t> RunLog::known(std::optional<std::size_t> place, bool is_own, const std::string& key) const {
  if (!place && is_own) throw DataError(fmt::format("{}/journal: has work of the key '{}', which is not this plan's; give another --output", folder_, escaped(key, 80)));
  return place;
}

/// Rows, failures and pilots that the plan has and the sections before had not.
void RunLog::take_rows(int number, Section& section) {
  const bool is_own = number == section_, is_of_same_origin = is_own || !header_ || origin_changes(section.header, *header_).empty();
  for (auto& [key, row] : section.rows) {
    const auto place = known(keys_->row_of(key), is_own, key);
    num_rows_aside_ += place ? 0 : 1;
    if (!place) continue;
    row.row_id = static_cast<std::int64_t>(*place);
    row.section = number;
    failures_.erase(row.row_id);
    rows_.try_emplace(row.row_id, std::move(row));
  }
  for (auto& [key, failure] : section.failures) {
    const auto place = known(keys_->row_of(key), is_own, key);
    failure.row_id = static_cast<std::int64_t>(place.value_or(0));
    if (!place || rows_.contains(failure.row_id)) continue;
    const auto [entry, is_new] = failures_.try_emplace(failure.row_id, failure);
    if (!is_new && failure.attempts > entry->second.attempts) entry->second = failure;
  }
  for (auto& [key, pilot] : section.pilots) {
    const auto place = known(keys_->pilot_of(key), is_own, key);
    if (place && is_of_same_origin) pilots_.try_emplace(*place, PilotEntry{*place, std::move(pilot.rounds), number});
  }
  section = Section{.header = std::move(section.header)};
}

/// Of the kinds without generations.
void RunLog::take_tables(const Section& section) {
  for (const auto& [key, entry] : section.atlas) {
    const std::size_t cell = *known(keys_->cell_of(key), true, key);
    atlas_[cell] = {cell, entry.rows, entry.rules};
  }
  for (const auto& [key, entry] : section.acceptances) {
    const std::size_t cell = *known(keys_->cell_of(key.first), true, key.first), prompt = *known(keys_->prompt_of(key.second), true, key.second);
    acceptances_[{cell, prompt}] = {cell, prompt, entry.positions, entry.depths};
  }
}

/// All or none: they stand in one entry.
void RunLog::take_predictions(const Section& section) {
  for (std::size_t cell = 0; cell < keys_->num_cells(); ++cell) {
    const auto found = section.predictions.find(keys_->of_cell(cell));
    if (found == section.predictions.end()) return predictions_.clear();
    predictions_.push_back(found->second);
    predictions_.back().cell = cell;
  }
}

/// What a drafter accepts depends on what it runs on.
void RunLog::drop_foreign_pilots() {
  if (!header_) return;
  std::erase_if(pilots_, [&](const auto& pilot) {
    const int number = pilot.second.section;
    return number != section_ && !origin_changes(sections_.at(number).header, *header_).empty();
  });
}

void RunLog::open_section(int number, const HeaderEntry& header) {
  section_ = num_opened_ = number;
  append("header", to_json(header));
  sections_.insert_or_assign(number, Section{.header = header});
  header_ = header;
  costs_.clear();
  predictions_.clear();
  paces_.clear();
  atlas_.clear();
  acceptances_.clear();
  finished_ = false;
  drop_foreign_pilots();
}

/// Text that is no UTF-8 is replaced.
void RunLog::append(const char* kind, Json entry) {
  Json json = {{kind, std::move(entry)}};
  if (section_ > 1) json["section"] = section_;
  journal_.append(json.dump(-1, ' ', false, Json::error_handler_t::replace));
}

void RunLog::add(const RowEntry& entry) {
  append("row", keyed(to_json(entry), row_key(entry.row_id)));
  failures_.erase(entry.row_id);
  rows_.insert_or_assign(entry.row_id, entry).first->second.section = std::max(1, section_);
}

void RunLog::add(const FailureEntry& entry) {
  append("failure", keyed(to_json(entry), row_key(entry.row_id)));
  if (!rows_.contains(entry.row_id)) failures_.insert_or_assign(entry.row_id, entry);
}

void RunLog::add(const PilotEntry& entry) {
  append("pilot", keyed(to_json(entry), keys_ ? keys_->of_pilot(entry.pilot) : ""));
  pilots_.insert_or_assign(entry.pilot, entry).first->second.section = std::max(1, section_);
}

void RunLog::add(const PaceEntry& entry) {
  append("pace", keyed(to_json(entry), row_key(entry.row_id)));
  paces_.insert_or_assign(entry.row_id, entry);
}

void RunLog::add(const std::vector<CostEntry>& entries) {
  Json list = Json::array();
  for (const CostEntry& entry : entries) list.push_back(to_json(entry));
  append("costs", std::move(list));
  costs_.insert(costs_.end(), entries.begin(), entries.end());
}

void RunLog::add(const std::vector<PredictionEntry>& entries) {
  Json list = Json::array();
  for (const PredictionEntry& entry : entries) list.push_back(keyed(to_json(entry), cell_key(entry.cell)));
  append("predictions", std::move(list));
  predictions_ = entries;
}

void RunLog::add(const AtlasEntry& entry) {
  append("atlas", keyed(to_json(entry), cell_key(entry.cell)));
  atlas_.insert_or_assign(entry.cell, entry);
}

void RunLog::add(const AcceptanceEntry& entry) {
  Json json = keyed(to_json(entry), cell_key(entry.cell));
  json["prompt"] = keys_ ? keys_->of_prompt(entry.prompt) : "";
  append("acceptance", std::move(json));
  acceptances_.insert_or_assign({entry.cell, entry.prompt}, entry);
}

void RunLog::add_end() {
  append("end", {{"entries", journal_.payloads().size()}});
  finished_ = true;
}

}  // namespace speclab::experiments
