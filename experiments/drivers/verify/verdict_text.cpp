#include <fmt/format.h>

#include <algorithm>

#include "engines/interface/names.h"
#include "experiments/drivers/verify/verification.h"

namespace speclab::experiments {
namespace {

std::string greedy_lines(const Verification& v, std::size_t texts) {
  const GreedyComparison& greedy = v.greedy;
  if (greedy.differences.empty())
    return fmt::format("greedy     {} tokens of {} texts, none differs from plain decoding\n",
                       greedy.tokens, texts);
  std::string text = fmt::format("greedy     {} of {} texts ({} tokens) leave plain decoding's\n",
                                 greedy.differences.size(), texts, greedy.tokens);
  for (const Difference& d : v.greedy.differences)
    text += d.gap
                ? fmt::format("           text {}, token {}: log probabilities {:.3g} apart, {}\n",
                              d.sequence, d.position, *d.gap,
                              v.is_near_tie(d) ? "a near tie within the row noise" : "no near tie")
                : fmt::format("           text {}, token {}: one of the texts ends here\n",
                              d.sequence, d.position);
  return text;
}

std::string row_lines(const RowNoise& rows, int together) {
  if (rows.different == 0)
    return fmt::format("rows       {} rows of {} side by side, every bit as alone\n", rows.rows(),
                       together);
  return fmt::format(
      "rows       {} of {} rows differ side by side by {} from alone: by {:.3g} at most, allowed "
      "{:.3g}; {} arg max flips\n",
      rows.different, rows.rows(), together, rows.largest(), rows.allowed, rows.flips);
}

std::string test_line(const LawTest& test) {
  if (!test.p) return fmt::format("           {}: too few tokens to say\n", test.name);
  return fmt::format("           {}: p = {:.3g}; a shift of {:.2g} {} would show\n", test.name,
                     *test.p, *test.smallest_shift, test.unit);
}

std::string sampled_lines(const SampledLaw& sampled) {
  std::string text = fmt::format("sampled    {} tokens", sampled.tokens);
  text += sampled.impossible == 0
              ? ", none that the target cannot say\n"
              : fmt::format(", {} that the target cannot say\n", sampled.impossible);
  if (sampled.at_the_edge > 0)
    text += fmt::format("           {} at the edge of a cutoff, within its rounding\n",
                        sampled.at_the_edge);
  for (const LawTest& test : sampled.tests) text += test_line(test);
  return text;
}

std::string exact_lines(const std::optional<ExactLaw>& exact) {
  if (!exact) return "";
  return fmt::format(
      "exact      joint law of {} tokens, {} outputs over {} paths: largest error {:.2g}\n",
      exact->tokens, exact->outputs, exact->paths, exact->largest_error);
}

/// What decides whether something that small could have been found.
std::string blind_spots(const Verification& v) {
  std::string text = "not seen   texts, prompts and settings other than these";
  if (!v.sampled) return text + "; sampling: the temperature is 0\n";
  text +=
      "; shifts of the sampled law smaller than those above, or that cancel over the contexts or "
      "within a bin; changes that keep every token's place in its law\n";
  const bool any =
      std::ranges::any_of(v.sampled->tests, [](const LawTest& test) { return test.p.has_value(); });
  return any ? text + fmt::format(
                          "odds       a lossless pair is accused once in {:.0f} verifications, a "
                          "shift of the size above missed as rarely\n",
                          1.0 / kFalseAlarm)
             : text;
}

std::string verdict_of(const Verification& v, const engines::DecoderOptions& decoder) {
  if (!v.passes()) return "THE OUTPUT LAW IS NOT THE TARGET'S";
  if (v.drafted == 0) return "nothing was drafted, so nothing was tested";
  if (!engines::is_lossless(decoder))
    return "NOT LOSSLESS: the verifier changes the law by its definition, by less than these texts "
           "would show";
  if (!v.tests_anything())
    return "too few tokens to say anything of the sampled law; raise --max-new-tokens or "
           "--prompts-per-category";
  return "no difference from the target was found";
}

}  // namespace

std::string verdict_text(const Verification& v, const VerificationPlan& plan,
                         const engines::ModelInfo& model) {
  const engines::DecoderOptions& decoder = plan.decoder;
  std::string text = fmt::format(
      "pair       {} ({}, {}), drafter {}, tree {}, length {}, verifier {}, temperature {:g}\n",
      model.name, model.dtype, model.kernels, decoder.drafter.kind, decoder.drafter.tree,
      plan.speculation_length, decoder.verifier, decoder.sampling.temperature);
  text += greedy_lines(v, plan.requests.size()) + row_lines(v.rows, plan.speculation_length + 1);
  if (v.sampled) text += sampled_lines(*v.sampled);
  text += exact_lines(v.exact);
  text += fmt::format("drafts     {} of {} accepted\n", v.accepted, v.drafted) + blind_spots(v);
  return text + fmt::format("verdict    {}\n", verdict_of(v, decoder));
}

}  // namespace speclab::experiments
