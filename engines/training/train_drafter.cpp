#include "engines/training/train_drafter.h"

#include "engines/drafters/bigram_table.h"
#include "engines/models/catalogue.h"
#include "engines/training/small_transformer_trainer.h"
#include "engines/training/training_checks.h"
#include "sim/core/files.h"

namespace speclab::engines {
namespace {

TargetEmbedding read_embedding(const std::string& model) {
  const ModelSource source = open_model(model);
  const LlamaConfig& config = source.config;
  return {config.vocab_size, config.hidden_size, config.context_length, source.weights->read(LlamaTensor::embedding, 0)};
}

/// Emitted tokens with the one before them; prompts are not the target's own text.
std::vector<std::vector<Token>> emitted_tokens(const std::vector<OwnText>& texts) {
  std::vector<std::vector<Token>> emitted;
  for (const OwnText& text : texts) emitted.emplace_back(text.tokens.begin() + text.prompt_length - 1, text.tokens.end());
  return emitted;
}

}  // namespace

void train_drafter(LanguageModel& target, std::shared_ptr<const Tokenizer> tokenizer, const std::string& target_model,
                   const TrainOptions& options, const TrainCallback& progress) {
  check_training(options, target.info());
  const std::vector<OwnText> texts = make_own_text(target, std::move(tokenizer), options.own_text, progress);
  if (options.drafter == "small_transformer")
    return train_small_transformer(texts, read_embedding(target_model), options.small_transformer, options.output, progress);
  make_folder(options.output);
  BigramTable::count(emitted_tokens(texts), target.info().vocab_size, static_cast<std::size_t>(options.max_successors)).save(options.output + "/bigram.bin");
}

}  // namespace speclab::engines
