#include "analysis/report/text_section.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/plots/figure_text.h"
#include "analysis/report/html.h"
#include "sim/core/errors.h"

namespace speclab::analysis {
namespace {

const Generation& generation_of(const Run& run, const TextSample& sample) {
  const auto found = run.generation_of_row.find(sample.row_id);
  if (found == run.generation_of_row.end()) throw DataError("texts.jsonl: row_id " + std::to_string(sample.row_id) + " is not in rows.csv");
  return run.generations[found->second];
}

std::string sample_title(const Generation& g) {
  const std::string rule = g.axes.is_plain() ? "" : ", " + readable(g.axes.verifier) + (g.law_distance ? " (lossy)" : "");
  return fmt::format("{}{}{}, temperature {}, {}", g.axes.is_plain() ? "plain decoding" : readable(g.axes.drafter),
                     g.axes.tree.empty() || g.axes.tree == "chain" ? "" : ", " + g.axes.tree, rule, short_number(g.axes.temperature), g.prompt_id);
}

std::string sample_html(const TextSample& sample, bool hidden) {
  std::string html = fmt::format("<article class=\"sample\"{}><details><summary>Prompt</summary><pre>{}</pre></details><p class=\"generated\">",
                                 hidden ? " hidden" : "", html_escaped(sample.prompt));
  for (const auto& piece : sample.pieces) {
    html += fmt::format("<span class=\"{}\">{}</span>", to_string(piece.fate), html_escaped(piece.text));
  }
  return html + "</p></article>\n";
}

/// Speculative samples first, those that accepted most at the front; the order within equals is the file's.
std::vector<const TextSample*> ordered_samples(const Run& run) {
  std::vector<const TextSample*> samples;
  for (const auto& sample : run.texts) samples.push_back(&sample);
  const auto accepted = [](const TextSample* sample) { return std::ranges::count(sample->pieces, TokenFate::accepted, &TextPiece::fate); };
  std::ranges::stable_sort(samples, std::ranges::greater(), accepted);
  return samples;
}

constexpr const char* kLegend =
    "<ul class=\"legend\"><li><span class=\"accepted\">accepted</span> – drafted, kept by the target</li>"
    "<li><span class=\"recovered\">recovered</span> – drawn after a rejection</li>"
    "<li><span class=\"bonus\">bonus</span> – drawn after full acceptance, or when nothing was drafted</li></ul>";

}  // namespace

std::string text_section_html(const Run& run) {
  if (run.texts.empty()) return {};
  std::string options, articles;
  for (const auto* sample : ordered_samples(run)) {
    articles += sample_html(*sample, !articles.empty());
    options += fmt::format("<option>{}</option>", html_escaped(sample_title(generation_of(run, *sample))));
  }
  return fmt::format("<section><h2>What was generated</h2>\n<label>Sample <select id=\"sample-chooser\">{}</select></label>\n{}{}</section>\n", options,
                     articles, kLegend);
}

}  // namespace speclab::analysis
