#include "analysis/report/document.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "analysis/plots/figure_text.h"
#include "analysis/report/embedded.h"
#include "analysis/report/figure_json.h"
#include "analysis/report/html.h"

namespace speclab::analysis {
namespace {

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
                    model.weights == Weights::trained ? "trained" : "random"));
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
