#include "analysis/report/sample_chooser.h"

#include <fmt/format.h>

#include "analysis/plots/figure_text.h"
#include "analysis/report/html.h"

namespace speclab::analysis {
namespace {

std::string sample_title(const Generation& g) {
  const std::string rule =
      g.axes.is_plain() ? ""
                        : ", " + readable(g.axes.verifier) + (g.law_distance ? " (lossy)" : "");
  return fmt::format("{}{}{}, temperature {}, {}",
                     g.axes.is_plain() ? "plain decoding" : readable(g.axes.drafter),
                     g.axes.tree.empty() || g.axes.tree == "chain" ? "" : ", " + g.axes.tree, rule,
                     short_number(g.axes.temperature), g.prompt_id);
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

}  // namespace speclab::analysis
