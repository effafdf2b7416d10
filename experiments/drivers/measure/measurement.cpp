#include "experiments/drivers/measure/measurement.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "experiments/drivers/config/generation_axis.h"
#include "experiments/drivers/journal/crash_note.h"
#include "experiments/drivers/journal/failures.h"
#include "experiments/drivers/journal/run_log.h"
#include "experiments/drivers/measure/pilots.h"
#include "experiments/drivers/measure/second_decoding.h"
#include "experiments/drivers/measure/workbench.h"
#include "sim/system/errors.h"
#include "sim/system/sha256.h"

namespace speclab::experiments {
namespace {

std::int64_t peak_memory_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return std::int64_t{1024} * usage.ru_maxrss;
}

/// A sample is shown in the report: the first repetition of the first prompt of every category.
bool is_sample(const Plan& plan, const PlannedGeneration& generation) {
  const std::size_t prompt = generation.prompt;
  const bool first =
      prompt == 0 || plan.prompts[prompt - 1].category != plan.prompts[prompt].category;
  return first && generation.repetition == 0 &&
         !is_shape_model(plan.cells[generation.cell].setting.model);
}

/// Of one prompt the report shows the drafts too.
bool shows_drafts(const Plan& plan, const PlannedGeneration& generation) {
  return is_sample(plan, generation) && generation.prompt == 0 &&
         !plan.cells[generation.cell].is_plain() && plan.config.target.rounds == "host" &&
         plan.cells[generation.cell].setting.generation.empty();
}

/// One piece a token; a character that several tokens spell stands with the last of them.
std::vector<analysis::TextPiece> pieces_of(const GenerationRecord& record,
                                           const engines::Tokenizer& tokenizer) {
  std::vector<analysis::TextPiece> pieces;
  const auto decoder = tokenizer.streaming_decoder();
  for (std::size_t i = 0; i < record.output_ids.size(); ++i)
    pieces.push_back({decoder->push(record.output_ids[i]), record.fates[i]});
  if (!pieces.empty()) pieces.back().text += decoder->flush();
  return pieces;
}

/// Over the ids of a text alone, or of all texts with their lengths between them.
std::string hash_of_texts(const GenerationRecord& record) {
  std::vector<Token> all = record.output_ids;
  for (const std::vector<Token>& text : record.other_texts) {
    all.push_back(static_cast<Token>(text.size()));
    all.insert(all.end(), text.begin(), text.end());
  }
  return output_hash(all);
}

RowEntry row_entry(Workbench& bench, std::size_t row, std::size_t prompt_tokens,
                   const GenerationRecord& record) {
  const PlannedGeneration& generation = bench.plan().generations[row];
  const bool sample = is_sample(bench.plan(), generation);
  const std::string& model = bench.plan().cells[generation.cell].setting.model;
  return {.row_id = static_cast<std::int64_t>(row),
          .prompt_tokens = static_cast<std::int64_t>(prompt_tokens),
          .output_tokens = static_cast<std::int64_t>(record.output_ids.size()),
          .output_hash = hash_of_texts(record),
          .stop_reason = record.stop_reason,
          .prefill_ns = record.prefill_ns,
          .time_to_first_token_ns = record.time_to_first_token_ns,
          .decode_ns = record.decode_ns,
          .peak_memory_bytes = peak_memory_bytes(),
          .read = record.read,
          .energy = record.energy,
          .bridge = record.bridge,
          .rounds = record.rounds,
          .pieces = sample ? pieces_of(record, bench.loaded().tokenizer_of(model))
                           : std::vector<analysis::TextPiece>{},
          .drafts = {}};
}

engines::Request request_of(const Workbench& bench, std::size_t row) {
  const PlannedGeneration& generation = bench.plan().generations[row];
  const std::string& model = bench.plan().cells[generation.cell].setting.model;
  return {bench.plan().sequence_id(generation),
          bench.loaded().texts_of(model).prompts[generation.prompt]};
}

/// How a row was decoded.
struct RowDecoding {
  DecoderSettings settings;
  engines::Request request;
  const SpeculationLengthPolicy& policy;
};

/// The entry of a record, which is checked first.
RowEntry checked_entry(Workbench& bench, std::size_t row, const RowDecoding& decoding,
                       const GenerationRecord& record) {
  const PlannedGeneration& generation = bench.plan().generations[row];
  const Cell& cell = bench.plan().cells[generation.cell];
  const engines::Tokenizer& tokenizer = bench.loaded().tokenizer_of(cell.setting.model);
  const auto check =
      is_searched(bench.plan().config, cell.setting) ? check_ending : check_generation;
  check(record, decoder_options(bench.plan(), cell.setting).stop, tokenizer);
  if (!is_shape_model(cell.setting.model)) check_text(record.output_ids, tokenizer);
  const auto& [settings, request, policy] = decoding;
  RowEntry entry = row_entry(bench, row, request.prompt_ids.size(), record);
  if (is_lossy(cell))
    entry.law_distance = law_distance(bench.loaded(), settings, request, policy, record);
  if (entry.law_distance && !std::isfinite(*entry.law_distance))
    throw NotFiniteError("the distance of its law from the target's is no number");
  if (shows_drafts(bench.plan(), generation))
    entry.drafts = shown_drafts(bench.loaded(), settings, request, policy, record);
  return entry;
}

/// Entries of the row's batch, but for those that the log has. @param monitor  may be null
std::map<std::size_t, RowEntry> generate_batch(Workbench& bench, std::size_t row,
                                               engines::DeviceMonitor* monitor) {
  const RowInHand in_hand(row);
  const PlannedGeneration& generation = bench.plan().generations[row];
  const Cell& cell = bench.plan().cells[generation.cell];
  const std::string& category = bench.plan().prompts[generation.prompt].category;
  const std::vector<std::size_t> rows = bench.plan().batch_of(row);
  std::vector<engines::Request> requests;
  for (const std::size_t each : rows) requests.push_back(request_of(bench, each));
  const auto policy = cell_policy(bench.plan(), bench.log(), cell, category,
                                  static_cast<int>(requests.front().prompt_ids.size()));
  DecoderSettings settings = bench.settings(cell.setting, category);
  settings.prompt_tokens = cell.setting.generation.empty() ? 0 : requests.front().prompt_ids.size();
  const std::vector<GenerationRecord> records = bench.generate_in_time(settings, requests, *policy);
  const std::optional<DeviceSample> device =
      monitor ? std::optional(monitor->sample()) : std::nullopt;
  std::map<std::size_t, RowEntry> entries;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (bench.log().rows().contains(static_cast<std::int64_t>(rows[i]))) continue;
    RowEntry& entry = entries[rows[i]];
    entry = checked_entry(bench, rows[i], {settings, requests[i], *policy}, records[i]);
    entry.device = device;
  }
  return entries;
}

}  // namespace

GenerationMeter::GenerationMeter(Workbench& bench)
    : bench_(bench), pace_(bench), monitor_(bench.loaded().engines.device_monitor()) {}

Measured GenerationMeter::measure(std::size_t row, int attempts) {
  try {
    pace_.before(row);
    if (!beside_.contains(row)) beside_.merge(generate_batch(bench_, row, monitor_.get()));
    const RowEntry entry = std::move(beside_.extract(row).mapped());
    bench_.log().add(entry);
    return {.failed = std::nullopt,
            .tokens = entry.output_tokens,
            .ns = entry.prefill_ns + entry.decode_ns};
  } catch (const std::exception& error) {
    const auto status = failure_status(error);
    if (!status) throw;
    bench_.forget_decoders();
    bench_.log().add(
        FailureEntry{static_cast<std::int64_t>(row), *status, error.what(), attempts + 1});
    return {.failed = status};
  }
}

void measure_generations(Workbench& bench) {
  const std::vector<std::size_t> open = open_generations(bench.plan(), bench.log());
  MeasuringProgress progress(bench.plan(), bench.log(), open, bench.progress());
  GenerationMeter meter(bench);
  for (const std::size_t row : open) {
    bench.check_interruption();
    const Measured measured = meter.measure(row, attempts_of(bench.log(), row));
    if (measured.failed) {
      const bool ends =
          *measured.failed ==
          FailureStatus::device;  // a process whose device has failed once cannot use it again
      bench.progress().note(fmt::format(
          "generation {} of {} failed ({}); {}", row,
          bench.plan().cells[bench.plan().generations[row].cell].id, to_string(*measured.failed),
          ends ? "the same command measures what is left, with --workers 1 also after such failures"
               : "the others go on"));
      if (ends) break;
    }
    progress.ended(row, measured);
  }
  bench.progress().end_phase();
}

std::string output_hash(std::span<const Token> ids) {
  const std::string_view bytes(reinterpret_cast<const char*>(ids.data()), ids.size_bytes());
  return sha256_text(bytes).substr(0, 16);
}

MeasuringProgress::MeasuringProgress(const Plan& plan, const RunLog& log,
                                     const std::vector<std::size_t>& rows, Progress& progress)
    : plan_(plan), log_(log), progress_(progress), left_(plan.cells.size()) {
  std::set<std::size_t> open = open_cells(plan, log);
  double total_ns = 0;
  for (const std::size_t row : rows) {
    total_ns += predicted_ns(row);
    ++left_[plan.generations[row].cell];
    open.insert(plan.generations[row].cell);
  }
  cells_.done = plan.cells.size() - open.size();
  cells_.all = cells_.done + static_cast<std::size_t>(std::ranges::count_if(
                                 left_, [](std::size_t left) { return left > 0; }));
  progress_.begin_phase("measuring", total_ns);
  tell();
}

void MeasuringProgress::ended(std::size_t row, const Measured& measured) {
  cells_.done += --left_[plan_.generations[row].cell] == 0 ? 1 : 0;
  if (measured.tokens > 0) last_.push_back(measured);
  if (last_.size() > kLastGenerations) last_.pop_front();
  tell();
  progress_.advance(predicted_ns(row));
}

void MeasuringProgress::tell() {
  double tokens = 0, ns = 0;
  for (const Measured& generation : last_)
    tokens += static_cast<double>(generation.tokens), ns += static_cast<double>(generation.ns);
  progress_.tell(cells_, ns > 0 ? tokens / ns * 1e9 : 0);
}

}  // namespace speclab::experiments
