#include "analysis/report/page.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "analysis/plots/figure_text.h"
#include "analysis/report/html.h"

namespace speclab::analysis {
namespace {

std::string fact(const std::string& term, const std::string& value, const std::string& detail) {
  return fmt::format("<div><dt>{}</dt><dd>{}<small>{}</small></dd></div>", html_escaped(term),
                     html_escaped(value), html_escaped(detail));
}

/// Walltimes at the pace while measuring / at that of the cost surface.
struct Paces {
  std::optional<double> plain;
  std::vector<double> drafting;

  std::string drafting_text() const {
    if (drafting.empty()) return "";
    const auto [least, most] = std::ranges::minmax(drafting);
    return fmt::format("; for drafters, with more rows in a forward, {} to {}", short_number(least),
                       short_number(most));
  }
};

std::map<std::string, Paces> paces_by_model(const FigureData& data) {
  std::map<std::string, Paces> paces;
  for (const auto& group : data.pooled) {
    const Prediction& prediction = group.summary.prediction;
    if (!prediction.walltime_ns || !prediction.paced_walltime_ns) continue;
    const double pace = *prediction.paced_walltime_ns / *prediction.walltime_ns;
    if (group.axes.is_plain())
      paces[group.axes.model].plain = pace;
    else
      paces[group.axes.model].drafting.push_back(pace);
  }
  return paces;
}

std::string best_fact(const FigureData& data) {
  double lowest = data.pooled.front().axes.temperature;
  for (const auto& group : data.pooled) lowest = std::min(lowest, group.axes.temperature);
  const Group* best = best_group(data, lowest);
  if (!best) return "";
  return fact(fmt::format("best speed-up at temperature {}", short_number(lowest)),
              estimate_text(*best->summary.speedup).value,
              line_name(data.pooled, *best) + "; " + interval_text(*best->summary.speedup, 1, "") +
                  "; chosen after measuring, so noise makes it look better than it is. The answer "
                  "names the pilots' choice");
}

std::string error_facts(const PredictionErrors& errors) {
  std::string html;
  const auto add = [&html](const std::optional<Estimate>& error, const std::string& term) {
    if (error)
      html += fact(term, estimate_text(*error, 100, 2).value + " %",
                   "cells that draft in at least half of their rounds; " +
                       interval_text(*error, 100, " %", 2));
  };
  add(errors.as_predicted, "median |predicted − measured| walltime");
  add(errors.at_pace, "median |predicted − measured| walltime at the measured pace");
  add(errors.speedup, "median |predicted − measured| speed-up");
  if (const auto& width = errors.half_width)
    html += fact("speed-ups inside their 95 % prediction interval",
                 fmt::format("{} of {}", errors.inside, width->n),
                 fmt::format("in these cells; the interval covers the spread among pilots and "
                             "among passes over the costs. Its median half-width is {}",
                             estimate_text(*width, 100, 2).value + " %"));
  return html;
}

std::string facts_html(const PageContent& content) {
  std::string html =
      "<dl class=\"facts\">" + best_fact(content.data) + error_facts(content.prediction_errors);
  for (const auto& [model, paces] : paces_by_model(content.data)) {
    if (!paces.plain) continue;
    html +=
        fact("pace while measuring " + model, short_number(*paces.plain),
             "plain decoding's time with the forwards timed between the generations, over its time "
             "with those of the cost surface" +
                 paces.drafting_text() +
                 "; dashed walltimes use these paces, dashed speed-ups were predicted beforehand");
  }
  if (const DeviceState& device = content.data.run.device; device.n > 0)
    html += fact("device while measuring", device_summary(device), device_note(device));
  html += fact("measured", fmt::format("{} generations", content.data.run.generations.size()),
               fmt::format("in {} cells", content.cells.size()));
  return html + "</dl>\n";
}

std::string notes_html(const FigureData& data) {
  std::string html;
  for (const auto& note : notes(data)) html += "<li>" + html_escaped(note) + "</li>";
  return html.empty() ? "" : "<ul class=\"notes\">" + html + "</ul>\n";
}

constexpr const char* kCellTableNote =
    "<p class=\"note\">Every ratio is a ratio of totals. In brackets: 95 % intervals over prompts, "
    "bootstrap-t with 2,000 resamples, Student's t below 15 prompts. Click a heading to "
    "sort.</p>\n";

}  // namespace

std::string page_html(const PageContent& content, const std::string& plotly_js) {
  const FigureData& data = content.data;
  return document_html(
      {.manifest = data.run.manifest,
       .figures = content.figures,
       .answer = content.answer,
       .under_answer = facts_html(content) + notes_html(data),
       .tables = choice_section_html(data) + ledger_section_html(data, content.ledgers) +
                 regret_section_html(content.policies) + "<section><h2>All cells</h2>\n" +
                 std::string(kCellTableNote) + cell_table_html(content.cells) + "</section>\n" +
                 percentile_section_html(data) + process_section_html(data) +
                 text_section_html(data.run) + draft_section_html(data.run, content.drafts)},
      plotly_js);
}

}  // namespace speclab::analysis
