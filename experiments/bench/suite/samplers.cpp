#include <memory>

#include "engines/sampling/logits_pipeline.h"
#include "experiments/bench/suite/suite.h"
#include "experiments/bench/verification/drawn_drafts.h"
#include "sim/core/law_sampling.h"
#include "sim/core/rng_stream.h"

namespace speclab::bench {
namespace {

/// Draws from one law under keys of their own.
struct Draws {
  Law law;
  PhiloxChance chance{1};
  std::vector<float> scratch{};
  std::vector<Token> tokens{};
};

std::shared_ptr<Draws> draws_from(std::size_t vocab_size, const engines::SamplingOptions& options) {
  const auto draws = std::make_shared<Draws>();
  engines::LogitsPipeline(options).law(Logits(vocab_size, 1).target.front(), {}, draws->law);
  return draws;
}

std::uint64_t sample_some(Draws& draws, std::uint32_t count) {
  Checksum checksum;
  for (std::uint32_t i = 0; i < count; ++i)
    checksum.add(static_cast<std::uint64_t>(
        sample(draws.law, {0, i, Purpose::target, 0}, draws.chance, draws.scratch)));
  return checksum.value();
}

std::uint64_t sample_siblings(Draws& draws, std::uint32_t count) {
  Checksum checksum;
  for (std::uint32_t i = 0; i < count; ++i) {
    sample_without_replacement(draws.law, 4, {0, i, Purpose::draft, 0}, draws.chance, draws.scratch,
                               draws.tokens);
    checksum.add_all(draws.tokens);
  }
  return checksum.value();
}

std::uint64_t random_bits(std::vector<std::uint64_t>& bits) {
  fill_bits(RngStream(17), {0, 0, Purpose::accept, 1}, bits);
  return Checksum().add(bits.front()).add(bits[bits.size() / 2]).add(bits.back()).value();
}

}  // namespace

void add_samplers(const Suite& suite) {
  suite.add("samplers/dense",
            [] { return [draws = draws_from(4096, {})] { return sample_some(*draws, 48); }; });
  suite.add("samplers/sparse", [] {
    return [draws = draws_from(4096, {.top_k = 64})] { return sample_some(*draws, 256); };
  });
  suite.add("samplers/without_replacement", [] {
    return [draws = draws_from(4096, {.top_k = 256})] { return sample_siblings(*draws, 16); };
  });
  suite.add("samplers/random_bits", [] {
    return
        [bits = std::make_shared<std::vector<std::uint64_t>>(8192)] { return random_bits(*bits); };
  });
}

}  // namespace speclab::bench
