#include "analysis/report/text_section.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/report/html.h"
#include "analysis/report/sample_chooser.h"
#include "sim/system/errors.h"

namespace speclab::analysis {
namespace {

const Generation& generation_of(const Run& run, const TextSample& sample) {
  const auto found = run.generation_of_row.find(sample.row_id);
  if (found == run.generation_of_row.end())
    throw DataError("texts.jsonl: row_id " + std::to_string(sample.row_id) + " is not in rows.csv");
  return run.generations[found->second];
}

std::string sample_html(const TextSample& sample) {
  std::string html = fmt::format(
      "<details><summary>Prompt</summary><pre>{}</pre></details><p class=\"generated\">",
      html_escaped(sample.prompt));
  for (const auto& piece : sample.pieces)
    html += fmt::format("<span class=\"{}\">{}</span>", to_string(piece.fate),
                        html_escaped(piece.text));
  return html + "</p>";
}

/// Speculative samples first, those that accepted most at the front; the order within equals is the
/// file's.
std::vector<const TextSample*> ordered_samples(const Run& run) {
  std::vector<const TextSample*> samples;
  for (const auto& sample : run.texts) samples.push_back(&sample);
  const auto accepted = [](const TextSample* sample) {
    return std::ranges::count(sample->pieces, TokenFate::accepted, &TextPiece::fate);
  };
  std::ranges::stable_sort(samples, std::ranges::greater(), accepted);
  return samples;
}

constexpr const char* kLegend =
    "<ul class=\"legend\"><li><span class=\"accepted\">accepted</span> – drafted, kept by the "
    "target</li>"
    "<li><span class=\"recovered\">recovered</span> – drawn after a rejection</li>"
    "<li><span class=\"bonus\">bonus</span> – drawn after full acceptance, or when nothing was "
    "drafted</li></ul>";

}  // namespace

std::string text_section_html(const Run& run) {
  if (run.texts.empty()) return {};
  SampleChooser chooser("sample-chooser");
  for (const auto* sample : ordered_samples(run))
    chooser.add(generation_of(run, *sample), sample_html(*sample));
  return "<section><h2>Texts</h2>\n" + chooser.html() + kLegend + "</section>\n";
}

}  // namespace speclab::analysis
