#include <memory>

#include "engines/cpu/decoder_cpu.h"
#include "engines/decoding/host_round_decoder.h"
#include "engines/decoding/plain_decoder.h"
#include "engines/drafters/drafters.h"
#include "experiments/bench/ngrams/made_up_text.h"
#include "experiments/bench/suite/suite.h"
#include "sim/policies/simple_policies.h"

namespace speclab::bench {
namespace {

constexpr std::int32_t kNewTokens = 8;

engines::DecoderShape tiny_config() {
  return {.name = "tiny",
          .vocab_size = 512,
          .context_length = 256,
          .num_layers = 2,
          .hidden_size = 64,
          .intermediate_size = 96,
          .num_heads = 4,
          .num_kv_heads = 2,
          .head_dim = 16};
}

/// One thread, float32, random weights.
std::unique_ptr<engines::LanguageModel> tiny_model(std::uint64_t seed) {
  const engines::DecoderShape config = tiny_config();
  return std::make_unique<engines::cpu::DecoderCpu>(
      config, *engines::random_decoder_weights(config, seed), engines::cpu::ElementType::float32,
      std::make_shared<engines::cpu::ThreadTeam>(1));
}

/// A prompt of 16 tokens is read and some tokens are decoded behind it.
class Decoding {
 public:
  Decoding(const std::string& drafter, int speculation_length)
      : target_(tiny_model(1)), policy_(speculation_length) {
    engines::DecoderOptions options;
    options.sampling.temperature = 0.8;
    options.stop = {.max_new_tokens = kNewTokens, .ignore_eos = true};
    options.drafter.kind = drafter;
    for (Token token : repetitive_text(16)) prompt_.push_back(token % tiny_config().vocab_size);
    decoder_ = make_decoder(options);
  }

  std::uint64_t operator()() {
    decoder_->begin({{0, prompt_}}, policy_);
    while (decoder_->round()) {
    }
    return Checksum().add_all(decoder_->records().front().output_ids).value();
  }

 private:
  std::unique_ptr<engines::RoundDecoder> make_decoder(const engines::DecoderOptions& options) {
    if (options.drafter.kind == "plain")
      return std::make_unique<engines::PlainDecoder>(*target_, nullptr, options);
    auto drafter = options.drafter.kind == "prompt_lookup"
                       ? engines::make_prompt_lookup_drafter(options, tiny_config().vocab_size)
                       : engines::make_small_transformer_drafter(tiny_model(2), options);
    return std::make_unique<engines::HostRoundDecoder>(
        *target_, nullptr, options, std::move(drafter), engines::make_verifier(options));
  }

  std::unique_ptr<engines::LanguageModel> target_;
  ConstantPolicy policy_;
  std::vector<Token> prompt_;
  std::unique_ptr<engines::RoundDecoder> decoder_;
};

void add(const Suite& suite, const std::string& drafter, int speculation_length) {
  suite.add("decoding/" + drafter, [=] {
    return [decoding = std::make_shared<Decoding>(drafter, speculation_length)] {
      return (*decoding)();
    };
  });
}

}  // namespace

void add_decoding(const Suite& suite) {
  add(suite, "plain", 0);
  add(suite, "prompt_lookup", 4);
  add(suite, "small_transformer", 3);
}

}  // namespace speclab::bench
