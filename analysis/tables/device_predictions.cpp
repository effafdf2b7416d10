#include "analysis/tables/device_predictions.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>

#include "analysis/tables/fields.h"
#include "analysis/tables/intervals.h"
#include "analysis/tables/table.h"
#include "sim/system/errors.h"

namespace speclab::analysis {
namespace {

constexpr std::string_view kPassAt = "pass at context ";
constexpr std::int64_t kMostRows = 1'000'000;

/// The context of "pass at context 512"; nothing for other forms of the engine.
std::optional<std::int64_t> context_of(std::string_view what) {
  if (!what.starts_with(kPassAt)) return std::nullopt;
  what.remove_prefix(kPassAt.size());
  std::int64_t context = 0;
  const auto [end, error] = std::from_chars(what.data(), what.data() + what.size(), context);
  if (error != std::errc{} || end != what.data() + what.size() || context < 0) return std::nullopt;
  return context;
}

/// Columns that say which kernels run which shape on which device.
template <typename Row>
std::vector<Column<Row>> device_columns() {
  return {{"device", &Row::device, Text{}, "as `--device` names it"},
          {"kernels", &Row::kernels, Text{},
           "`measured`: those that were timed; `planned`: with the savings that are expected"},
          {"shape", &Row::shape, Text{}, "as `--pass-of` names it"}};
}

}  // namespace

std::vector<TimedPassRow> read_timed_passes(const std::string& path) {
  const Table table = Table::read(path);
  std::vector<TimedPassRow> passes;
  std::string newest;
  for (std::size_t row = 0; row < table.size(); ++row) {
    const std::optional<std::int64_t> context = context_of(table.text(row, "what"));
    if (!context) continue;
    const std::string revision = table.text(row, "revision");
    if (revision != newest) passes.clear();
    newest = revision;
    passes.push_back({.device = table.text(row, "device"),
                      .shape = table.text(row, "shape"),
                      .rows = std::min(kMostRows, table.count(row, "rows", 1)),
                      .context = *context,
                      .ms = table.number_from(1e-6, 1e9, row, "ms")});
  }
  if (passes.empty())
    throw DataError(escaped(path, kLongestPath) + ": no row whose what is \"pass at context N\"");
  return passes;
}

const Schema<PredictedPassRow>& predicted_passes_table() {
  using P = PredictedPassRow;
  static const Schema<P> table{
      "predict --pass-of --csv", "a device, a shape, a number of rows and a context",
      joined<P>({device_columns<P>(),
                 {{"rows", &P::rows, Count{.least = 1}, "of the pass"},
                  {"context", &P::context, Count{.unit = "tokens"}, "in the cache before it"}},
                 estimate_columns<P>(
                     "us", &P::us, Number{.unit = "µs"},
                     "the pass. Low: less the rule's largest error at shapes that it was not "
                     "fitted to; high: more that error, and nothing saved"),
                 {{"bytes_us", &P::bytes_us, Number{.unit = "µs"}, "what reading alone takes"}}})};
  return table;
}

const Schema<LeftOutPassRow>& left_out_passes_table() {
  using L = LeftOutPassRow;
  static const Schema<L> table{
      "predict --pass-errors --csv",
      "a timed pass",
      {{"shape", &L::shape, Text{}, "whose passes the rule was not fitted to"},
       {"rows", &L::rows, Count{.least = 1}, "of the pass"},
       {"context", &L::context, Count{.unit = "tokens"}, "in the cache before it"},
       {"measured_us", &L::measured_us, Number{.unit = "µs"}, "on an H200; by the rule"},
       {"predicted_us", &L::predicted_us, Number{.unit = "µs"}, ""},
       {"relative_error", &L::relative_error, kAnyNumber, "predicted / measured - 1"}}};
  return table;
}

const Schema<PredictedRoundRow>& predicted_rounds_table() {
  using R = PredictedRoundRow;
  static const Schema<R> table{
      "predict --pass-of --rounds --csv",
      "a device, a shape, a drafter, a temperature and a length",
      joined<R>({device_columns<R>(),
                 {{"drafter", &R::drafter, Text{}, "whose counts are taken"},
                  {"temperature", &R::temperature, Number{},
                   "of the counts; between two that were counted it has the places of both"},
                  {"speculation_length", &R::drafts, Count{.least = 1, .unit = "tokens"},
                   "drafted a round"}},
                 estimate_columns<R>("round_us", &R::round_us, Number{.unit = "µs"},
                                     "a round that drafts; low and high as those of a pass"),
                 {{"plain_us", &R::plain_us, Number{.unit = "µs"}, "a round that drafts nothing"},
                  {"tokens_per_round", &R::tokens_per_round, Number{.unit = "tokens"},
                   "accepted + 1, over all rounds"},
                  {"drafting_fraction", &R::drafting_fraction, Number{.high = 1},
                   "share of rounds that draft"}},
                 estimate_columns<R>("predicted_speedup", &R::predicted_speedup, Number{},
                                     "of decoding, prompt left out; the interval is over groups of "
                                     "texts, widened by the rule's error")})};
  return table;
}

}  // namespace speclab::analysis
