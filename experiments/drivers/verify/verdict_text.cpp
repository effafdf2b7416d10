#include <fmt/format.h>

#include "engines/interface/names.h"
#include "experiments/drivers/verify/verification.h"

namespace speclab::experiments {
namespace {

std::string greedy_lines(const Verification& v, std::size_t texts) {
  const GreedyComparison& greedy = v.greedy;
  if (greedy.differences.empty()) return fmt::format("greedy     {} tokens of {} texts, none differs from plain decoding\n", greedy.tokens, texts);
  std::string text = fmt::format("greedy     {} of {} texts ({} tokens) leave plain decoding's\n", greedy.differences.size(), texts, greedy.tokens);
  for (const Difference& d : v.greedy.differences)
    text += fmt::format("           text {}, token {}: logits {:.3g} apart, {}\n", d.sequence, d.position, d.gap,
                        v.is_near_tie(d) ? "a near tie within the row noise" : "no near tie");
  return text;
}

std::string row_lines(const RowNoise& rows, int together) {
  if (rows.different == 0) return fmt::format("rows       {} rows of {} side by side, every bit as alone\n", rows.rows, together);
  return fmt::format("rows       {} of {} rows differ side by side by {} from alone: at most {:.3g}, ceiling {:.3g}; {} arg max flips, {} of them wider than the row's noise\n",
                     rows.different, rows.rows, together, rows.largest, rows.ceiling, rows.flips, rows.unexplained);
}

std::string test_line(const LawTest& test) {
  if (!test.p) return fmt::format("           {}: too few tokens to say\n", test.name);
  return fmt::format("           {}: p = {:.3g}; a shift of {:.2g} {} would show\n", test.name, *test.p, *test.smallest_shift, test.unit);
}

std::string sampled_lines(const SampledLaw& sampled) {
  std::string text = fmt::format("sampled    {} tokens", sampled.tokens);
  text += sampled.impossible == 0 ? ", none that the target cannot say\n" : fmt::format(", {} that the target cannot say\n", sampled.impossible);
  for (const LawTest& test : sampled.tests) text += test_line(test);
  return text;
}

std::string exact_lines(const std::optional<ExactLaw>& exact) {
  if (!exact) return "";
  return fmt::format("exact      joint law of {} tokens, {} outputs over {} paths: largest error {:.2g}\n", exact->tokens, exact->outputs, exact->paths, exact->largest_error);
}

/// What decides whether something that small could have been found.
std::string blind_spots(const Verification& v) {
  std::string text = "not seen   texts, prompts and settings other than these";
  if (!v.sampled) return text + "; sampling: the temperature is 0\n";
  text += "; smaller shifts of the sampled law than those above; changes that keep every token's place in its law\n";
  return text + fmt::format("odds       a lossless pair is accused once in {:.0f} verifications, a shift of the size above missed as rarely\n", 1.0 / kFalseAlarm);
}

}  // namespace

std::string verdict_text(const Verification& v, const VerificationPlan& plan, const engines::ModelInfo& model) {
  const engines::DecoderOptions& decoder = plan.decoder;
  std::string text = fmt::format("pair       {} ({}, {}), drafter {}, tree {}, length {}, verifier {}, temperature {:g}\n", model.name, model.dtype, model.kernels, decoder.drafter.kind,
                                 decoder.drafter.tree, plan.speculation_length, decoder.verifier, decoder.sampling.temperature);
  text += greedy_lines(v, plan.requests.size()) + row_lines(v.rows, plan.speculation_length + 1);
  if (v.sampled) text += sampled_lines(*v.sampled);
  text += exact_lines(v.exact);
  text += fmt::format("drafts     {} of {} accepted\n", v.accepted, v.drafted) + blind_spots(v);
  const bool is_lossy = !engines::is_lossless(decoder.verifier, decoder.sampling.temperature);
  text += fmt::format("verdict    {}{}\n", v.passes() ? "no difference from the target was found" : "THE OUTPUT LAW IS NOT THE TARGET'S", is_lossy ? " (the verifier is lossy by its definition)" : "");
  return text;
}

}  // namespace speclab::experiments
