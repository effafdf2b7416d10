#include "analysis/report/html.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "analysis/plots/figure_text.h"

namespace speclab::analysis {
namespace {

using nlohmann::json;

json points_json(const std::vector<Point>& points) {
  json list = json::array();
  for (const auto& p : points) {
    list.push_back({{"x", p.x},
                    {"y", p.y},
                    {"low", p.interval ? json(p.interval->low) : json()},
                    {"high", p.interval ? json(p.interval->high) : json()},
                    {"hollow", p.mark == Mark::hollow},
                    {"base", p.base}});
  }
  return list;
}

json axis_json(const Axis& axis) {
  return {{"label", axis.label},
          {"logarithmic", axis.scale == Scale::logarithmic},
          {"names", axis.names},
          {"range", axis.range ? json{axis.range->low, axis.range->high} : json()}};
}

const char* kind_name(FigureKind kind) {
  switch (kind) {
    case FigureKind::lines:
      return "lines";
    case FigureKind::marks:
      return "marks";
    case FigureKind::stacked_bars:
      return "stacked_bars";
    case FigureKind::waterfall:
      return "waterfall";
    case FigureKind::timeline:
      return "timeline";
  }
  return "";
}

json figure_json(const Figure& figure) {
  json series = json::array();
  for (const auto& s : figure.series) {
    series.push_back({{"name", s.name},
                      {"colour", palette_index(s.colour)},
                      {"mark", mark_index(s.colour)},
                      {"points", points_json(s.points)},
                      {"prediction", points_json(s.prediction)}});
  }
  return {{"id", figure.id},
          {"kind", kind_name(figure.kind)},
          {"x", axis_json(figure.x)},
          {"y", axis_json(figure.y)},
          {"series", series},
          {"totals", points_json(figure.totals)},
          {"dashed", figure.dashed},
          {"reference", figure.reference ? json{{"y", figure.reference->y},
                                                {"name", figure.reference->name},
                                                {"diagonal", figure.reference->is_diagonal}}
                                         : json()}};
}

/// The figures and the palette as the JSON object that page/script.js draws.
std::string figures_json(const std::vector<Figure>& figures) {
  json root = {{"palette", json::array()}, {"figures", json::array()}};
  for (const auto& entry : kPalette) root["palette"].push_back({entry.light, entry.dark});
  for (const auto& figure : figures) root["figures"].push_back(figure_json(figure));
  return root.dump();
}

std::string figures_html(const std::vector<Figure>& figures) {
  std::string html = "<section><h2>Figures</h2>\n";
  for (const auto& figure : figures) {
    html += fmt::format(
        "<figure><h3>{}</h3><div class=\"plot\" id=\"plot-{}\" role=\"group\" "
        "aria-label=\"{}\"></div><figcaption>{}</figcaption></figure>\n",
        html_escaped(figure.title), figure.id, html_escaped(figure.title),
        html_escaped(figure.caption));
  }
  return html + "</section>\n";
}

const char* name_of_weights(Weights weights) {
  switch (weights) {
    case Weights::random:
      return "random";
    case Weights::widened:
      return "widened";
    default:
      return "trained";
  }
}

std::string provenance_html(const Manifest& manifest) {
  std::string html =
      "<section><h2>Source of the numbers</h2>\n<div class=\"scroll\"><table "
      "class=\"provenance\"><tbody>\n";
  const auto row = [&](const std::string& key, const std::string& value) {
    html += fmt::format("<tr><th scope=\"row\">{}</th><td>{}</td></tr>\n",
                        html_escaped(readable(key)), html_escaped(value));
  };
  for (const auto& [key, value] : manifest.entries) row(key, value);
  for (const auto& model : manifest.models) {
    row(fmt::format("{} {}", model.role == ModelRole::target ? "target" : "drafter", model.name),
        fmt::format("sha256 {}, {} parameters, {} weights", model.sha256, model.parameters,
                    name_of_weights(model.weights)));
  }
  for (const SectionProvenance& section : manifest.sections)
    row(fmt::format("section {}", section.number),
        fmt::format("{} generations, begun {}{}{}", section.generations, section.started_at,
                    section.differs.empty() ? "" : "; ", fmt::join(section.differs, "; ")));
  return html + "</tbody></table></div></section>\n";
}

std::string header_html(const DocumentContent& content) {
  const Manifest& manifest = content.manifest;
  const std::string question =
      manifest.question.empty() ? readable(manifest.name) : manifest.question;
  return fmt::format(
      "<header><h1>speclab · {}</h1>\n<p class=\"question\">{}</p>\n<p "
      "class=\"answer\">{}</p>\n{}</header>\n",
      html_escaped(readable(manifest.name)), html_escaped(question), html_escaped(content.answer),
      content.under_answer);
}

}  // namespace

std::string document_html(const DocumentContent& content, const std::string& plotly_js) {
  std::string html = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta "
      "name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<title>speclab: {}</title>\n<link rel=\"icon\" "
      "href=\"data:,\">\n<style>\n{}</style>\n</head>\n<body>\n{}<main>\n",
      html_escaped(readable(content.manifest.name)), kPageStyle, header_html(content));
  html += figures_html(content.figures);
  html += content.tables + provenance_html(content.manifest);
  html +=
      "</main>\n<footer>Made by speclab from the rows of this run; the page needs no "
      "network.</footer>\n";
  html += "<script>" + script_escaped(plotly_js, "</script", "<\\/script") + "</script>\n";
  html += "<script type=\"application/json\" id=\"report-data\">" +
          script_escaped(figures_json(content.figures), "<", "\\u003c") + "</script>\n";
  return html + "<script>\n" + kPageScript + "</script>\n</body>\n</html>\n";
}

}  // namespace speclab::analysis
