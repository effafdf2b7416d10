#include "tests/analysis/support/gated_run.h"

#include <algorithm>
#include <random>
#include <stdexcept>

namespace speclab::analysis::testing {
namespace {

using Keys = std::vector<std::pair<std::string, std::string>>;

constexpr int kLength = 4;  ///< of a draft

Manifest manifest_of(const GatedRun& options) {
  Manifest manifest;
  manifest.kind = "decoding";
  manifest.seed = 1;
  manifest.models = {
      {.name = "base", .role = ModelRole::target, .sha256 = "abc", .parameters = 1000},
      {.name = "drafter_0", .role = ModelRole::drafter, .sha256 = "def", .parameters = 10}};
  manifest.config = {{"experiment.repetitions", "1"},
                     {"prompts.set", "core"},
                     {"prompts.ignore_eos", "true"},
                     {"sampling.top_k", "0"},
                     {"axes.policy", options.policy}};
  for (const char* key :
       {"revision", "build_type", "flags", "compiler", "libtorch", "blas", "governor", "threads",
        "device", "driver", "kernels", "dtype", "config_sha256", "prompts_sha256", "seed"})
    manifest.entries.emplace_back(key, "one");
  manifest.entries.emplace_back("machine", options.machine);
  return manifest;
}

/// Even over 0.4 to 0.8, in no order.
double acceptance_of(int prompt) {
  return 0.4 + 0.4 * static_cast<double>(prompt * 37 % 101) / 101;
}

void add_rounds(Generation& g, double acceptance_rate, std::mt19937_64& random) {
  std::bernoulli_distribution accept(acceptance_rate);
  for (std::int64_t emitted = 0; emitted < g.output_tokens;) {
    int accepted = 0;
    while (accepted < kLength && accept(random)) ++accepted;
    ++g.rounds;
    ++g.drafting_rounds;
    g.drafted += kLength;
    g.accepted += accepted;
    g.tested += std::min(accepted + 1, kLength);
    ++(accepted == kLength ? g.bonus : g.recovered);
    emitted += accepted + 1;
  }
}

/// Sampled texts follow their rounds.
std::string hash_of(const GatedRun& options, bool is_plain, int prompt) {
  const std::string digits =
      std::to_string(prompt + 1000) +
      (options.temperature > 0 && !is_plain ? std::to_string(options.chance) : "");
  return std::string(16 - digits.size(), '0') + digits;
}

Generation generation(const GatedRun& options, const std::string& drafter, int prompt,
                      int repetition) {
  const bool is_plain = drafter == "none";
  Generation g;
  g.cell_id = drafter;
  g.prompt_id = "prompt_" + std::to_string(prompt);
  g.category = "chat";
  g.repetition = repetition;
  g.axes = {.model = "base",
            .drafter = drafter,
            .tree = is_plain ? "" : "chain",
            .policy = is_plain ? "" : options.policy,
            .verifier = is_plain ? "" : "rejection",
            .temperature = options.temperature};
  g.output_tokens = options.tokens;
  g.stop_reason = "length";
  g.output_hash = hash_of(options, is_plain, prompt);
  g.decode_ns = 1'000'000 * options.tokens;
  return g;
}

void set(Keys& keys, const std::string& key, const std::string& value) {
  const auto found = std::ranges::find(keys, key, &std::pair<std::string, std::string>::first);
  if (found == keys.end()) throw std::out_of_range(key);
  found->second = value;
}

}  // namespace

Run made_up(const GatedRun& options) {
  Run run;
  run.manifest = manifest_of(options);
  std::mt19937_64 random(options.chance);
  for (int cell = -1; cell < options.cells; ++cell) {
    for (int prompt = 0; prompt < options.prompts; ++prompt) {
      for (int repetition = 0; repetition < options.repetitions; ++repetition) {
        run.generations.push_back(generation(
            options, cell < 0 ? "none" : "drafter_" + std::to_string(cell), prompt, repetition));
        Generation& g = run.generations.back();
        if (cell < 0)
          g.rounds = g.bonus = g.output_tokens;
        else
          add_rounds(g, acceptance_of(prompt) - options.drop, random);
      }
    }
  }
  return run;
}

void set_provenance(Run& run, const std::string& key, const std::string& value) {
  set(run.manifest.entries, key, value);
}
void set_config(Run& run, const std::string& key, const std::string& value) {
  set(run.manifest.config, key, value);
}

}  // namespace speclab::analysis::testing
