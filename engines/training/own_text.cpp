#include "engines/training/own_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "engines/cpu/bfloat16.h"
#include "engines/decoding/plain_decoder.h"
#include "engines/sampling/vocabulary_passes.h"
#include "engines/training/own_text_file.h"
#include "sim/policies/simple_policies.h"
#include "sim/system/errors.h"
#include "sim/system/sha256.h"

namespace speclab::engines {
namespace {

std::string settings_digest(const LanguageModel& target, const OwnTextOptions& options) {
  std::string text = fmt::format("{} {} {} {} {}", target.info().sha256, target.info().dtype,
                                 options.max_new_tokens, options.batch, options.seed);
  for (const double temperature : options.temperatures) text += fmt::format(" {}", temperature);
  if (options.keeps_hidden) text += options.keeps_layers ? " hidden, layers" : " hidden";
  return sha256_text(text);
}

TopLaw top_law(std::span<const float> logits, std::vector<float>& probabilities,
               std::vector<Token>& order) {
  probabilities.resize(logits.size());
  VocabularyPasses(nullptr).softmax(logits, 1.0, std::span<float>(probabilities));
  order.resize(logits.size());
  std::iota(order.begin(), order.end(), 0);
  const auto probability = [&](Token t) { return probabilities[static_cast<std::size_t>(t)]; };
  const auto end = order.begin() + TopLaw::kSize;
  std::partial_sort(order.begin(), end, order.end(),
                    [&](Token a, Token b) { return probability(a) > probability(b); });
  TopLaw law;
  for (std::size_t i = 0; i < TopLaw::kSize; ++i) {
    law.tokens[i] = order[i];
    law.probabilities[i] = probability(order[i]);
  }
  law.log_partition = logits[static_cast<std::size_t>(order[0])] - std::log(law.probabilities[0]);
  return law;
}

std::vector<OwnText> generate_batch(LanguageModel& target,
                                    const std::shared_ptr<const Tokenizer>& tokenizer,
                                    const OwnTextOptions& options, std::size_t first,
                                    double temperature, const TrainCallbacks& callbacks) {
  DecoderOptions decoder_options;
  decoder_options.sampling.temperature = temperature;
  decoder_options.stop.max_new_tokens = options.max_new_tokens;
  decoder_options.seed = options.seed;
  PlainDecoder decoder(target, tokenizer, decoder_options);
  std::vector<Request> requests;
  const auto batch = static_cast<std::size_t>(options.batch);
  for (std::size_t i = first; i < std::min((first / batch + 1) * batch, options.prompts.size());
       ++i)  // a batch that an earlier call began is filled up
    requests.push_back({static_cast<std::uint32_t>(i), options.prompts[i]});
  decoder.begin(requests, ConstantPolicy(0));
  while (decoder.round()) callbacks.check();
  std::vector<OwnText> texts;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    OwnText text{static_cast<std::int32_t>(requests[i].prompt_ids.size()),
                 static_cast<float>(temperature),
                 requests[i].prompt_ids,
                 {},
                 {}};
    const std::vector<Token>& output = decoder.records()[i].output_ids;
    text.tokens.insert(text.tokens.end(), output.begin(), output.end());
    texts.push_back(std::move(text));
  }
  return texts;
}

void check_tokens(const std::vector<OwnText>& texts, std::int32_t vocab_size,
                  const OwnTextOptions& options) {
  const auto is_token = [&](Token token) { return token >= 0 && token < vocab_size; };
  for (const OwnText& text : texts) {
    bool valid = std::ranges::all_of(text.tokens, is_token);
    for (const TopLaw& law : text.laws) valid = valid && std::ranges::all_of(law.tokens, is_token);
    if (!valid)
      throw DataError(
          fmt::format("{}: tokens outside the vocabulary of {}; delete the file to make it again",
                      options.cache_file, vocab_size));
  }
}

/// The cache may hold more texts or fewer than are wanted, but those of the same prompts.
void check_prompts(const std::vector<OwnText>& texts, const OwnTextOptions& options) {
  for (std::size_t i = 0; i < std::min(texts.size(), options.prompts.size()); ++i) {
    const std::span prompt =
        std::span(texts[i].tokens).first(static_cast<std::size_t>(texts[i].prompt_length));
    if (!std::equal(prompt.begin(), prompt.end(), options.prompts[i].begin(),
                    options.prompts[i].end()))
      throw DataError(fmt::format(
          "{}: text {} was made from another prompt; choose another cache file or delete it",
          options.cache_file, i));
  }
}

}  // namespace

std::int32_t kept_state_size(const ModelInfo& target, const OwnTextOptions& options) {
  if (!options.keeps_hidden) return 0;
  return options.keeps_layers ? target.state_size() : target.last_state_size();
}

void add_laws(LanguageModel& target, KvCache& cache, std::int32_t state_size, OwnText& text) {
  constexpr std::int32_t kChunk = 64;
  std::vector<float> probabilities;
  std::vector<Token> order;
  const std::int32_t slot = cache.begin();
  const auto size = static_cast<std::int32_t>(text.tokens.size());
  for (std::int32_t begin = 0; begin + 1 < size; begin += kChunk) {
    std::vector<ForwardRow> rows;
    std::vector<std::int32_t> path;
    for (std::int32_t i = begin; i < std::min(begin + kChunk, size - 1); ++i) {
      rows.push_back({text.tokens[static_cast<std::size_t>(i)], i, slot, i - begin - 1,
                      i + 1 >= text.prompt_length, state_size > 0});
      path.push_back(i - begin);
    }
    const ForwardResult result = target.forward(rows, cache);
    for (std::size_t i = 0; i < result.logits.size() / static_cast<std::size_t>(result.vocab_size);
         ++i)
      text.laws.push_back(top_law(result.row(i), probabilities, order));
    for (std::size_t i = 0; state_size > 0 && i < rows.size(); ++i)
      for (const float value : result.hidden_row(i).first(static_cast<std::size_t>(state_size)))
        text.hidden.push_back(cpu::to_bfloat16(value));
    cache.commit(slot, path);
  }
  cache.release(slot);
}

std::vector<OwnText> make_own_text(LanguageModel& target,
                                   const std::shared_ptr<const Tokenizer>& tokenizer,
                                   const OwnTextOptions& options, const TrainCallbacks& callbacks) {
  OwnTextFile file(options.cache_file, settings_digest(target, options));
  check_prompts(file.texts(), options);
  check_tokens(file.texts(), target.info().vocab_size, options);
  std::int64_t tokens = 0;
  const auto report = [&] {
    callbacks.progress({.phase = "own text",
                        .fraction = std::min(1.0, static_cast<double>(file.texts().size()) /
                                                      static_cast<double>(options.prompts.size())),
                        .tokens = tokens});
  };
  if (!file.texts().empty()) report();
  while (file.texts().size() < options.prompts.size()) {
    callbacks.check();
    const std::size_t first = file.texts().size();
    const std::size_t batch = first / static_cast<std::size_t>(options.batch);
    std::vector<OwnText> texts =
        generate_batch(target, tokenizer, options, first,
                       options.temperatures[batch % options.temperatures.size()], callbacks);
    std::size_t longest = 0;
    for (const OwnText& text : texts) longest = std::max(longest, text.tokens.size());
    const auto cache = target.make_cache(1, static_cast<std::int32_t>(longest));
    for (OwnText& text : texts) {
      callbacks.check();
      add_laws(target, *cache, kept_state_size(target.info(), options), text);
      tokens += static_cast<std::int64_t>(text.laws.size());
    }
    file.append(std::move(texts));
    report();
  }
  std::vector<OwnText> texts = file.release();
  texts.resize(options.prompts.size());
  return texts;
}

TextSplit split_texts(const std::vector<OwnText>& texts, std::size_t num_held_out) {
  TextSplit split;
  std::set<std::vector<Token>> held_out_prompts;
  for (const OwnText& text : texts) {
    if (text.laws.empty()) continue;
    const std::vector<Token> prompt(text.tokens.begin(), text.tokens.begin() + text.prompt_length);
    if (split.held_out.size() < num_held_out) {
      split.held_out.push_back(&text);
      held_out_prompts.insert(prompt);
    } else if (!held_out_prompts.contains(prompt)) {
      split.training.push_back(&text);
    }
  }
  return split;
}

TextSplit split_texts(const std::vector<OwnText>& texts, const TrainOptions& options) {
  const auto num_held_out = static_cast<std::size_t>(options.schedule.validation_sequences);
  if (options.text.files.empty()) return split_texts(texts, num_held_out);
  TextSplit split;
  for (const OwnText& text : texts)
    (split.held_out.size() < num_held_out ? split.held_out : split.training).push_back(&text);
  return split;
}

}  // namespace speclab::engines
