#include "analysis/report/page.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/plots/figure_text.h"
#include "analysis/report/answer.h"
#include "analysis/report/cell_table.h"
#include "analysis/report/embedded.h"
#include "analysis/report/figure_json.h"
#include "analysis/report/html.h"
#include "analysis/report/text_section.h"

namespace speclab::analysis {
namespace {

std::string fact(const std::string& term, const std::string& value, const std::string& detail) {
  return fmt::format("<div><dt>{}</dt><dd>{}<small>{}</small></dd></div>", html_escaped(term), html_escaped(value), html_escaped(detail));
}

std::string interval_detail(const Estimate& estimate, double factor, const std::string& unit, int digits = 3) {
  const EstimateText text = estimate_text(estimate, factor, digits);
  if (text.low.empty()) return fmt::format("n = {}, no interval", estimate.n);
  return fmt::format("95 %: {} to {}{}, n = {}", text.low, text.high, unit, estimate.n);
}

std::string facts_html(const PageContent& content) {
  std::string html = "<dl class=\"facts\">";
  double lowest = content.data.pooled.front().axes.temperature;
  for (const auto& group : content.data.pooled) lowest = std::min(lowest, group.axes.temperature);
  if (const Group* best = best_group(content.data, lowest)) {
    html += fact(fmt::format("best speed-up at temperature {}", short_number(lowest)), estimate_text(*best->summary.speedup).value,
                 readable(best->axes.drafter) + "; " + interval_detail(*best->summary.speedup, 1, ""));
  }
  const auto error_fact = [&html](const std::optional<Estimate>& error, const std::string& term) {
    if (error) html += fact(term, estimate_text(*error, 100, 2).value + " %", "cells that draft in at least half of their rounds; " + interval_detail(*error, 100, " %", 2));
  };
  error_fact(content.prediction_errors.as_predicted, "median |predicted − measured| walltime");
  error_fact(content.prediction_errors.at_pace, "the same at the pace while measuring");
  if (const auto pace = content.data.pooled.front().summary.prediction.pace_ratio) {
    html += fact("pace while measuring", short_number(*pace),
                 "time of bare forwards between the generations, against that in the cost surface; dashed lines and the table are predictions times it");
  }
  html += fact("measured", fmt::format("{} generations", content.data.run.generations.size()), fmt::format("in {} cells", content.cells.size()));
  return html + "</dl>\n";
}

std::string notes_html(const FigureData& data) {
  std::string html;
  for (const auto& note : notes(data)) html += "<li>" + html_escaped(note) + "</li>";
  return html.empty() ? "" : "<ul class=\"notes\">" + html + "</ul>\n";
}

std::string figures_html(const std::vector<Figure>& figures) {
  std::string html = "<section><h2>Figures</h2>\n";
  for (const auto& figure : figures) {
    html += fmt::format("<figure><h3>{}</h3><div class=\"plot\" id=\"plot-{}\" role=\"img\" aria-label=\"{}\"></div><figcaption>{}</figcaption></figure>\n",
                        html_escaped(figure.title), figure.id, html_escaped(figure.title), html_escaped(figure.caption));
  }
  return html + "</section>\n";
}

std::string provenance_html(const Manifest& manifest) {
  std::string html = "<section><h2>Where the numbers come from</h2>\n<div class=\"scroll\"><table class=\"provenance\"><tbody>\n";
  const auto row = [&](const std::string& key, const std::string& value) {
    html += fmt::format("<tr><th scope=\"row\">{}</th><td>{}</td></tr>\n", html_escaped(readable(key)), html_escaped(value));
  };
  for (const auto& [key, value] : manifest.entries) row(key, value);
  for (const auto& model : manifest.models) {
    row(fmt::format("{} {}", model.role == ModelRole::target ? "target" : "drafter", model.name),
        fmt::format("sha256 {}, {} parameters, {} weights", model.sha256, model.parameters, model.weights == Weights::trained ? "trained" : "random"));
  }
  return html + "</tbody></table></div></section>\n";
}

std::string header_html(const PageContent& content) {
  const Manifest& manifest = content.data.run.manifest;
  const std::string question = manifest.question.empty() ? readable(manifest.name) : manifest.question;
  return fmt::format("<header><h1>speclab · {}</h1>\n<p class=\"question\">{}</p>\n<p class=\"answer\">{}</p>\n{}{}</header>\n",
                     html_escaped(readable(manifest.name)), html_escaped(question), html_escaped(content.answer), facts_html(content),
                     notes_html(content.data));
}

constexpr const char* kTableNote =
    "<p class=\"note\">Ratios are ratios of totals. In brackets: 95 % intervals, bootstrap-t over prompts with 2,000 resamples. "
    "Click a heading to sort.</p>\n";

}  // namespace

std::string page_html(const PageContent& content, const std::string& plotly_js) {
  std::string html = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<title>speclab: {}</title>\n<link rel=\"icon\" href=\"data:,\">\n<style>\n{}</style>\n</head>\n<body>\n{}<main>\n",
      html_escaped(readable(content.data.run.manifest.name)), kPageStyle, header_html(content));
  html += figures_html(content.figures);
  html += "<section><h2>All cells</h2>\n" + std::string(kTableNote) + cell_table_html(content.cells) + "</section>\n";
  html += text_section_html(content.data.run) + provenance_html(content.data.run.manifest);
  html += "</main>\n<footer>Made by speclab from the rows of this run; the page needs no network.</footer>\n";
  html += "<script>" + script_escaped(plotly_js, "</script", "<\\/script") + "</script>\n";
  html += "<script type=\"application/json\" id=\"report-data\">" + script_escaped(figures_json(content.figures), "<", "\\u003c") + "</script>\n";
  return html + "<script>\n" + kPageScript + "</script>\n</body>\n</html>\n";
}

}  // namespace speclab::analysis
