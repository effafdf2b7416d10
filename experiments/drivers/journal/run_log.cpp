#include "experiments/drivers/journal/run_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <ranges>

#include "experiments/drivers/config/kinds.h"
#include "experiments/drivers/journal/entry_json.h"
#include "experiments/drivers/journal/named_fields.h"
#include "experiments/drivers/journal/origin.h"
#include "sim/system/errors.h"

namespace speclab::experiments {
namespace {

/// With the cell that it is of.
Json celled(Json entry, const std::string& cell) {
  entry["cell"] = cell;
  return entry;
}

/// @throws DataError that says where it stands
template <typename Entry>
Entry read_stored(JournalReader& reader, const StoredEntry& stored, Entry (*read)(const Json&)) {
  const std::string payload = reader.payload(stored.place);
  try {
    return read(entry_json(entry_line(payload)));
  } catch (const std::exception& error) {
    throw DataError(
        fmt::format("{}: byte {}: {}", reader.path(), stored.place.begin, error.what()));
  }
}

}  // namespace

std::optional<std::size_t> PlanView::known(std::optional<std::size_t> place, bool is_own,
                                           const std::string& key) const {
  if (!place && is_own)
    throw DataError(
        fmt::format("{}/journal: has work of the key '{}', which this plan does not have; give "
                    "another --output",
                    folder, escaped(key, 80)));
  return place;
}

void PlanView::take_rows(int number, Section& from) {
  const bool is_own = number == section,
             is_of_same_origin = is_own || !header || origin_changes(from.header, *header).empty();
  for (const auto& [key, row] : from.rows) {
    const auto place = known(keys->row_of(key), is_own, key);
    num_rows_aside += place ? 0 : 1;
    if (!place) continue;
    const auto row_id = static_cast<std::int64_t>(*place);
    failures.erase(row_id);
    rows.try_emplace(row_id, row);
  }
  for (auto& [key, failure] : from.failures) {
    const auto place = known(keys->row_of(key), is_own, key);
    failure.row_id = static_cast<std::int64_t>(place.value_or(0));
    if (!place || rows.contains(failure.row_id)) continue;
    const auto [entry, is_new] = failures.try_emplace(failure.row_id, failure);
    if (!is_new && failure.attempts > entry->second.attempts) entry->second = failure;
  }
  for (auto& [key, pilot] : from.pilots) {
    const auto place = known(keys->pilot_of(key), is_own, key);
    if (place && is_of_same_origin)
      pilots.try_emplace(*place, PilotEntry{*place, std::move(pilot.rounds), number});
  }
  from = Section{.header = std::move(from.header)};
}

void PlanView::take_cell_entries(const Section& from, std::string_view kind) {
  for (const auto& [key, found] : from.cell_entries) {
    if (found.kind != kind)
      throw DataError(fmt::format("{}: an entry of the kind '{}'; allowed: those of the run's kind",
                                  found.where, escaped(found.kind, 80)));
    CellEntry entry{.cell = *known(keys->cell_of(key.first), true, key.first),
                    .where = found.where,
                    .found = found.found};
    if (!key.second.empty()) entry.prompt = known(keys->prompt_of(key.second), true, key.second);
    cell_entries.insert_or_assign({entry.cell, entry.prompt}, std::move(entry));
  }
}

void PlanView::take_predictions(const Section& from) {
  for (std::size_t cell = 0; cell < keys->num_cells(); ++cell) {
    const auto found = from.predictions.find(keys->of_cell(cell));
    if (found == from.predictions.end()) return predictions.clear();
    predictions.push_back(found->second);
    predictions.back().cell = cell;
  }
}

void PlanView::drop_foreign_pilots(const std::map<int, Section>& sections) {
  if (!header) return;
  std::erase_if(pilots, [&](const auto& pilot) {
    const int number = pilot.second.section;
    return number != section && !origin_changes(sections.at(number).header, *header).empty();
  });
}

RunLog::RunLog(const std::string& folder, Journal::Tail tail)
    : journal_(Journal::in_memory()), view_{.folder = folder} {
  journal_ = Journal::open(folder, tail, [&](std::string_view payload, JournalPlace place) {
    const auto with_place = [&](const std::exception& error) {
      return fmt::format("{}/journal:{}: {}", folder, num_taken_ + 1, error.what());
    };
    try {
      take(payload, place);
    } catch (const DriftError& error) {
      throw DriftError(with_place(error));
    } catch (const std::exception& error) {
      throw DataError(with_place(error));
    }
  });
}

void RunLog::take(std::string_view payload, JournalPlace place) {
  const EntryLine line = entry_line(payload);
  const auto section = sections_.find(line.section);
  if (line.kind == "header")
    open(line.section, entry_json(line));
  else if (sections_.empty())
    throw DataError("an entry before the header");
  else if (section == sections_.end())
    ++num_orphans_;
  else if (line.kind == "end")
    section->second.finished = entry_json(line).value("entries", std::size_t{0}) == num_taken_;
  else
    section->second.take(line, {.place = place, .journal = 0, .section = line.section}, [this] {
      return fmt::format("{}/journal:{}", view_.folder, num_taken_ + 1);
    });
  num_opened_ = std::max(num_opened_, line.section);
  ++num_taken_;
}

void RunLog::open(int number, const Json& header) {
  if (!sections_.try_emplace(number, Section{.header = header_entry(header)}).second)
    throw DataError(fmt::format("section {} begins a second time", number));
  view_.header = sections_.at(number).header;
}

void RunLog::include(const RunLog& part) {
  SPECLAB_EXPECT(part.included_.empty(), "a part is one journal");
  included_.push_back(std::make_shared<const Journal>(part.journal_));
  const auto first_journal = static_cast<std::uint32_t>(included_.size());
  for (const auto& [number, section] : part.sections_)
    sections_.try_emplace(number, Section{.header = section.header, .finished = section.finished})
        .first->second.include(section, first_journal);
  num_opened_ = std::max(num_opened_, part.num_opened_);
}

template <typename Entry>
void RunLog::for_each(const StoredEntries& stored, Entry (*read)(const Json&),
                      const std::function<void(const Entry&)>& visit) const {
  std::optional<JournalReader> reader;  // one file at a time, of however many shards
  std::uint32_t opened = 0;
  for (const auto& [row_id, entry] : stored) {
    if (!reader || entry.journal != opened)
      reader.emplace(entry.journal == 0 ? journal_ : *included_.at(entry.journal - 1));
    opened = entry.journal;
    Entry read_entry = read_stored(*reader, entry, read);
    read_entry.row_id = row_id;
    if constexpr (requires { read_entry.section; }) read_entry.section = entry.section;
    visit(read_entry);
  }
}

void RunLog::for_each_row(const std::function<void(const RowEntry&)>& visit) const {
  for_each<RowEntry>(view_.rows, &row_entry, visit);
}

void RunLog::for_each_pace(const std::function<void(const PaceEntry&)>& visit) const {
  for_each<PaceEntry>(view_.paces, &pace_entry, visit);
}

int RunLog::section_of(const Plan& plan) const {
  const std::string digest = plan_digest(plan);
  for (const auto& [number, section] : std::views::reverse(sections_))
    if (section.header.plan_digest == digest) return number;
  return 0;
}

void RunLog::look_at(const Plan& plan) {
  view_.keys = std::make_shared<const WorkKeys>(plan);
  view_.section = section_of(plan);
  view_.header.reset();
  if (view_.section > 0) {
    Section& own = sections_.at(view_.section);
    view_.header = own.header;
    view_.costs = std::move(own.costs);
    view_.finished = own.finished;
    view_.take_predictions(own);
    for (const auto& [key, pace] : own.paces)
      view_.paces.emplace(
          static_cast<std::int64_t>(*view_.known(view_.keys->row_of(key), true, key)), pace);
    view_.take_cell_entries(own, experiment_kind(plan.config.kind).entry);
    view_.take_rows(view_.section, own);
  }
  for (auto& [number, section] :
       std::views::reverse(sections_))  // the newest is the likeliest to be of the same origin
    if (number != view_.section) view_.take_rows(number, section);
  view_.drop_foreign_pilots(sections_);
}

void RunLog::open_section(int number, const HeaderEntry& header) {
  view_.section = num_opened_ = number;
  append("header", to_json(header));
  sections_.insert_or_assign(number, Section{.header = header});
  view_.header = header;
  view_.costs.clear();
  view_.predictions.clear();
  view_.paces.clear();
  view_.cell_entries.clear();
  view_.finished = false;
  view_.drop_foreign_pilots(sections_);
}

StoredEntry RunLog::append(const char* kind, const Json& entry, const std::string& key) {
  const int section = std::max(1, view_.section);
  return {.place = journal_.append(
              entry_payload({.kind = kind, .section = section, .key = key, .json = {}}, entry)),
          .journal = 0,
          .section = section};
}

void RunLog::add(const RowEntry& entry) {
  view_.rows.insert_or_assign(entry.row_id,
                              append("row", to_json(entry), view_.row_key(entry.row_id)));
  view_.failures.erase(entry.row_id);
}

void RunLog::add(const FailureEntry& entry) {
  append("failure", to_json(entry), view_.row_key(entry.row_id));
  if (!view_.rows.contains(entry.row_id)) view_.failures.insert_or_assign(entry.row_id, entry);
}

void RunLog::add(const PilotEntry& entry) {
  const StoredEntry stored =
      append("pilot", to_json(entry), view_.keys ? view_.keys->of_pilot(entry.pilot) : "");
  view_.pilots.insert_or_assign(entry.pilot, entry).first->second.section = stored.section;
}

void RunLog::add(const PaceEntry& entry) {
  view_.paces.insert_or_assign(entry.row_id,
                               append("pace", to_json(entry), view_.row_key(entry.row_id)));
}

void RunLog::add(const std::vector<CostEntry>& entries) {
  Json list = Json::array();
  for (const CostEntry& entry : entries) list.push_back(to_json(entry));
  append("costs", as_columns(std::move(list)));
  view_.costs.insert(view_.costs.end(), entries.begin(), entries.end());
}

void RunLog::add(const std::vector<PredictionEntry>& entries) {
  Json list = Json::array();
  for (const PredictionEntry& entry : entries)
    list.push_back(celled(to_json(entry), view_.cell_key(entry.cell)));
  append("predictions", as_columns(std::move(list)));
  view_.predictions = entries;
}

void RunLog::add(const char* kind, CellEntry entry) {
  Json json = celled(entry.found, view_.cell_key(entry.cell));
  if (entry.prompt) json["prompt"] = view_.keys ? view_.keys->of_prompt(*entry.prompt) : "";
  append(kind, json);
  view_.cell_entries.insert_or_assign({entry.cell, entry.prompt}, std::move(entry));
}

void RunLog::add_end() {
  append("end", {{"entries", journal_.num_payloads()}});
  view_.finished = true;
}

}  // namespace speclab::experiments
