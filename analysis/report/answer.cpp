#include "analysis/report/answer.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "analysis/plots/figure_text.h"
#include "analysis/report/html.h"

namespace speclab::analysis {
namespace {

std::set<double> temperatures(const FigureData& data) {
  const std::string model = primary_model(data.run.manifest, data.pooled);
  std::set<double> values;
  for (const auto& group : data.pooled) {
    if (group.axes.model == model) values.insert(group.axes.temperature);
  }
  return values;
}

std::string name_of(const FigureData& data, const Group* group) {
  for (const auto& line : make_lines(data.pooled)) {
    if (std::ranges::count(line.groups, group) > 0) return line.name;
  }
  return readable(group->axes.drafter);
}

std::string best_at(const FigureData& data, double temperature) {
  const Group* best = best_group(data, temperature);
  if (best == nullptr) return {};
  return fmt::format("at temperature {} the best drafter, {}, reaches a speed-up of {}", short_number(temperature), name_of(data, best),
                     with_interval(*best->summary.speedup));
}

std::string capitalised(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 'a' + 'A');
  return text;
}

}  // namespace

const Group* best_group(const FigureData& data, double temperature) {
  const std::string model = primary_model(data.run.manifest, data.pooled);
  const Group* best = nullptr;
  for (const auto& group : data.pooled) {
    if (group.axes.model != model || group.axes.temperature != temperature || !group.summary.speedup) continue;
    if (best == nullptr || group.summary.speedup->value > best->summary.speedup->value) best = &group;
  }
  return best;
}

std::string answer_sentence(const FigureData& data, const std::optional<Estimate>& prediction_error) {
  const auto values = temperatures(data);
  std::string text = best_at(data, *values.begin());
  if (text.empty()) return "No drafter was compared with plain decoding in this run.";
  if (const std::string hottest = best_at(data, *values.rbegin()); values.size() > 1 && !hottest.empty()) text += "; " + hottest;
  text = capitalised(text) + ".";
  if (prediction_error) {
    text += fmt::format(" The predicted walltime is off by {} % in the median of {} cells.", with_interval(*prediction_error, 100, 2), prediction_error->n);
  }
  return text;
}

std::vector<std::string> notes(const FigureData& data) {
  std::set<std::string> lossy;
  std::size_t unequal = 0, pairs = 0;
  bool forced = false;
  for (const auto& group : data.pooled) {
    if (!group.summary.lossless) lossy.insert(readable(group.axes.verifier));
    forced = forced || group.summary.forced_acceptance;
    unequal += group.summary.unequal_pairs;
    if (group.summary.speedup) pairs += group.summary.n_rows;
  }
  std::vector<std::string> result;
  if (!lossy.empty()) result.push_back(fmt::format("Not lossless, the output law differs from the target's: {}.", fmt::join(lossy, ", ")));
  if (forced) result.push_back("Shape models have random weights: their time is real, their acceptance is replayed from the trained pair.");
  if (unequal > 0) result.push_back(fmt::format("{} of {} speculative generations differ in length from their plain partner.", unequal, pairs));
  return result;
}

}  // namespace speclab::analysis
