#include "analysis/report/page.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "analysis/plots/figure_text.h"
#include "analysis/report/html.h"
#include "sim/system/errors.h"

namespace speclab::analysis {
namespace {

/// A list of generations of which one is shown; the page's script shows the one chosen.
class SampleChooser {
 public:
  /// @param id  of the element, its own in the page
  explicit SampleChooser(std::string id) : id_(std::move(id)) {}

  /// The first one is shown at first. @param content  HTML
  void add(const Generation& generation, const std::string& content);
  std::string html() const;

 private:
  std::string id_, options_, articles_;
};

std::string sample_title(const Generation& g) {
  const std::string rule =
      g.axes.is_plain() ? ""
                        : ", " + readable(g.axes.verifier) + (g.law_distance ? " (lossy)" : "");
  return fmt::format("{}{}{}, temperature {}, {}",
                     g.axes.is_plain() ? "plain decoding" : readable(g.axes.drafter),
                     g.axes.tree.empty() || g.axes.tree == "chain" ? "" : ", " + g.axes.tree, rule,
                     short_number(g.axes.temperature), g.prompt_id);
}

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

constexpr const char* kDraftNote =
    "<p class=\"note\">The first rounds of one prompt. Each token stands below the token before "
    "it. p is its probability in the target's law, and q in the drafter's (if tokens are drawn). "
    "Underlined tokens were kept.</p>\n";

std::string token_html(const DraftNode& node) {
  const std::string q =
      node.draft_probability ? fmt::format("q {:.2g}, ", *node.draft_probability) : "";
  return fmt::format("<span{}>{}</span> <small>{}p {:.2g}</small>",
                     node.is_accepted ? " class=\"accepted\"" : "", html_escaped(node.token), q,
                     node.target_probability);
}

std::string children_html(const DraftedRound& round, std::size_t parent) {
  std::string items;
  for (std::size_t node = parent + 1; node < round.nodes.size(); ++node)
    if (round.nodes[node].parent == static_cast<std::int64_t>(parent))
      items += "<li>" + token_html(round.nodes[node]) + children_html(round, node) + "</li>";
  return items.empty() ? "" : "<ul>" + items + "</ul>";
}

std::string next_html(const DraftedRound& round) {
  return round.next.empty()
             ? ""
             : fmt::format(", then <span class=\"{}\">{}</span> ({})", to_string(round.next_kind),
                           html_escaped(round.next), to_string(round.next_kind));
}

std::string round_html(const DraftedRound& round) {
  if (round.nodes.empty())
    return fmt::format("<section class=\"draft\"><h4>Round {}: nothing drafted{}</h4></section>\n",
                       round.round + 1, next_html(round));
  return fmt::format(
      "<section class=\"draft\"><h4>Round {}: {} drafted, {} "
      "accepted{}</h4><p>{}</p>{}</section>\n",
      round.round + 1, round.nodes.size() - 1, round.accepted, next_html(round),
      html_escaped(round.nodes.front().token), children_html(round, 0));
}

std::string rounds_html(const DraftSample& sample) {
  std::string html = "<div class=\"drafts\">\n";
  for (const DraftedRound& round : sample.rounds) html += round_html(round);
  return html + "</div>";
}

std::int64_t num_accepted(const DraftSample& sample) {
  std::int64_t accepted = 0;
  for (const DraftedRound& round : sample.rounds) accepted += round.accepted;
  return accepted;
}

/// Those that drafted anything, what accepted most at the front.
std::vector<DraftSample> shown(std::vector<DraftSample> drafts) {
  std::erase_if(drafts, [](const DraftSample& sample) {
    return std::ranges::all_of(sample.rounds,
                               [](const DraftedRound& round) { return round.nodes.empty(); });
  });
  std::ranges::stable_sort(drafts, std::ranges::greater(), num_accepted);
  return drafts;
}

}  // namespace

void SampleChooser::add(const Generation& generation, const std::string& content) {
  articles_ += fmt::format("<article class=\"sample\"{}>{}</article>\n",
                           articles_.empty() ? "" : " hidden", content);
  options_ += fmt::format("<option>{}</option>", html_escaped(sample_title(generation)));
}

std::string SampleChooser::html() const {
  return fmt::format("<label>Sample <select id=\"{}\" data-chooser>{}</select></label>\n{}", id_,
                     options_, articles_);
}

std::string text_section_html(const Run& run) {
  if (run.texts.empty()) return {};
  SampleChooser chooser("sample-chooser");
  for (const auto* sample : ordered_samples(run))
    chooser.add(generation_of(run, *sample), sample_html(*sample));
  return "<section><h2>Texts</h2>\n" + chooser.html() + kLegend + "</section>\n";
}

std::string draft_section_html(const Run& run, const std::vector<DraftSample>& drafts) {
  const std::vector<DraftSample> samples = shown(drafts);
  if (samples.empty()) return {};
  SampleChooser chooser("draft-chooser");
  for (const DraftSample& sample : samples)
    chooser.add(run.generations[run.generation_of_row.at(sample.row_id)], rounds_html(sample));
  return "<section><h2>Drafts</h2>\n" + std::string(kDraftNote) + chooser.html() + "</section>\n";
}

}  // namespace speclab::analysis
