#include "engines/training/torch/training_loop.h"

#include <fmt/format.h>

#include <cmath>
#include <map>

namespace speclab::engines {
namespace {

using Metric = double Validation::*;
constexpr Metric kMetrics[] = {&Validation::loss, &Validation::acceptance_rate,
                               &Validation::greedy_agreement};
constexpr const char* kFigureNames[] = {"loss_nats", "acceptance_rate", "greedy_agreement"};

/// A stretch of a file has one token to begin with, which is no prompt.
std::span<const Token> cluster_of(const OwnText& text) {
  return std::span(text.tokens)
      .first(text.prompt_length == 1 ? text.tokens.size()
                                     : static_cast<std::size_t>(text.prompt_length));
}

/// Sums over the texts of each cluster, by drafted token.
std::vector<std::vector<Validation>> cluster_sums(const TrainingTask& task,
                                                  TrainingTask::Texts texts) {
  std::map<std::vector<Token>, std::vector<Validation>> by_cluster;
  for (const OwnText* const& text : texts) {
    const std::span<const Token> cluster = cluster_of(*text);
    auto& sums = by_cluster[{cluster.begin(), cluster.end()}];
    sums.resize(static_cast<std::size_t>(task.num_steps()));
    const std::vector<Validation> means = task.validate({&text, 1});
    for (std::size_t step = 0; step < sums.size(); ++step) {
      if (means[step].positions == 0) continue;  // shorter than the drafted tokens
      sums[step].positions += means[step].positions;
      for (const Metric metric : kMetrics)
        sums[step].*metric += means[step].*metric * means[step].positions;
    }
  }
  std::vector<std::vector<Validation>> sums;
  for (auto& [tokens, of_cluster] : by_cluster) sums.push_back(std::move(of_cluster));
  return sums;
}

ValidationSpread spread_of(const std::vector<std::vector<Validation>>& clusters, std::size_t step) {
  Validation total;
  for (const auto& cluster : clusters) {
    total.positions += cluster[step].positions;
    for (const Metric metric : kMetrics) total.*metric += cluster[step].*metric;
  }
  ValidationSpread spread{.mean = total.mean(), .error = {}, .num_clusters = clusters.size()};
  if (clusters.size() < 2) return spread;
  const double n = static_cast<double>(clusters.size());
  for (const Metric metric : kMetrics) {
    double squares = 0;
    for (const auto& cluster : clusters)
      squares += std::pow(cluster[step].*metric - spread.mean.*metric * cluster[step].positions, 2);
    spread.error.*metric = std::sqrt(n / (n - 1) * squares) / total.positions;
  }
  return spread;
}

std::string column(const char* name, int step) {
  return fmt::format(",validation_{}{}", name, step == 1 ? "" : fmt::format("_{}", step));
}

}  // namespace

std::vector<ValidationSpread> validate_in_clusters(const TrainingTask& task,
                                                   TrainingTask::Texts texts) {
  const auto clusters = cluster_sums(task, texts);
  std::vector<ValidationSpread> by_step;
  for (std::size_t step = 0; step < static_cast<std::size_t>(task.num_steps()); ++step)
    by_step.push_back(spread_of(clusters, step));
  return by_step;
}

std::string validation_columns(int num_steps) {
  std::string names;
  for (int step = 1; step <= num_steps; ++step)
    for (const char* name : kFigureNames) names += column(name, step);
  names += ",validation_clusters";
  for (int step = 1; step <= num_steps; ++step)
    for (const char* name : kFigureNames)
      names += column(fmt::format("{}_error", name).c_str(), step);
  return names;
}

std::string validation_fields(const std::vector<ValidationSpread>& by_step) {
  std::string fields;
  const auto add = [&](Validation ValidationSpread::* part) {
    for (const ValidationSpread& spread : by_step)
      for (const Metric metric : kMetrics) fields += fmt::format(",{:.5f}", spread.*part.*metric);
  };
  add(&ValidationSpread::mean);
  fields += fmt::format(",{}", by_step.front().num_clusters);
  add(&ValidationSpread::error);
  return fields;
}

}  // namespace speclab::engines
