#include "analysis/report/draft_section.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "analysis/report/html.h"
#include "analysis/report/sample_chooser.h"

namespace speclab::analysis {
namespace {

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

std::string draft_section_html(const Run& run, const std::vector<DraftSample>& drafts) {
  const std::vector<DraftSample> samples = shown(drafts);
  if (samples.empty()) return {};
  SampleChooser chooser("draft-chooser");
  for (const DraftSample& sample : samples)
    chooser.add(run.generations[run.generation_of_row.at(sample.row_id)], rounds_html(sample));
  return "<section><h2>Drafts</h2>\n" + std::string(kDraftNote) + chooser.html() + "</section>\n";
}

}  // namespace speclab::analysis
