#include "tests/fuzz/request_targets.h"

#include <array>
#include <memory>
#include <optional>
#include <span>

#include "engines/drafters/retokenized_text.h"
#include "engines/tokenizers/load_tokenizer.h"
#include "experiments/drivers/generate/generation_config.h"
#include "experiments/drivers/generate/generation_plan.h"
#include "experiments/drivers/prompts/prompt_files.h"
#include "sim/system/errors.h"
#include "sim/system/utf8.h"
#include "tests/engines/formats/temporary_folder.h"
#include "tests/fuzz/targets.h"

namespace speclab::fuzz {
namespace {

using namespace engines;
using namespace experiments;
using speclab::testing::memory_folder;
using speclab::testing::TemporaryFolder;

void read_prompts_of(const std::string& path) try {
  PromptSet set;
  read_prompt_file(path, set);
  for (const Prompt& prompt : set.prompts) {
    require(!prompt.text.empty() && prompt_text_problem(prompt.text).empty(), "a prompt's text");
    require(table_text_problem(prompt.category).empty(), "a category that tables hold");
  }
} catch (const ConfigError&) {
}

GenerationConfig config_of(const std::string& path) {
  GenerationSources sources;
  sources.file = read_generation_file(path);
  return GenerationConfig(sources);
}

/// Nothing for a file that is refused.
std::optional<GenerationConfig> taken_config(const std::string& path) try {
  return config_of(path);
} catch (const ConfigError&) {
  return std::nullopt;
}

void plan_of(const GenerationConfig& config) try {
  GenerationPlan plan = generation_plan({config, generation_mode(config, Assistant::none)}, {});
  use_folder_ends(plan);
  set_prompt_length(plan, 3);
} catch (const ConfigError&) {
}

std::shared_ptr<const Tokenizer> golden_tokenizer(const char* kind) {
  return load_tokenizer_from_folder(
      std::string(SPECLAB_SOURCE_DIR "/tests/golden/tokenizers/").append(kind));
}

/// Pieces of bytes against pieces of characters, in both directions.
const TokenizerPair& chosen_pair(unsigned choice) {
  static const auto bytes = golden_tokenizer("byte_level_o200k"),
                    pieces = golden_tokenizer("gemma");
  static const std::array<TokenizerPair, 2> pairs{TokenizerPair{bytes, pieces},
                                                  TokenizerPair{pieces, bytes}};
  return pairs[choice % pairs.size()];
}

void require_ids(const Tokenizer& tokenizer, std::span<const Token> tokens) {
  for (const Token token : tokens)
    require(token >= 0 && token < tokenizer.vocab_size(), "ids of the vocabulary");
}

/// The way that a text grew must not show if all is spelled anew.
void require_growth_has_no_trace(const TokenizerPair& pair, std::span<const Token> tokens) {
  RetokenizedText grown(pair, 0), whole(pair, 0);
  for (std::size_t size = 1; size <= tokens.size(); ++size) grown.read(tokens.first(size));
  if (!tokens.empty()) whole.read(tokens);
  require(grown.draft_tokens() == whole.draft_tokens() && grown.pending() == whole.pending(),
          "a text that grew is spelled as one that did not");
}

/// The bytes of an input, taken from the front; zeros behind its end.
class Bytes {
 public:
  explicit Bytes(const std::string& bytes) : bytes_(bytes) {}
  unsigned next() { return at_ < bytes_.size() ? static_cast<unsigned char>(bytes_[at_++]) : 0U; }
  std::string rest() const { return bytes_.substr(at_); }

 private:
  const std::string& bytes_;
  std::size_t at_ = 0;
};

}  // namespace

void read_prompts(const std::string& bytes) {
  static const TemporaryFolder folder(memory_folder());
  for (const char* name : {"prompts.jsonl", "prompts.toml"})
    read_prompts_of(folder.file(name, bytes));
}

std::vector<std::string> prompt_seeds() {
  return {R"({"question_id": 81, "category": "writing", "turns": ["Write a poem.", "Shorter."]})"
          "\n\"A text alone.\"\n",
          R"([{"id": "a", "conversations": [{"from": "human", "value": "Hi"},)"
          R"({"from": "gpt", "value": "Hello"}, {"from": "human", "value": "Bye"}]},)"
          R"({"messages": [{"role": "user", "content": "Count to 3."}]},)"
          R"({"prompt": "Say it", "task_id": 4}, {"question": "Why?"}, {"text": "2, 4, 8,"}])",
          "category = \"prompts\"\n[[prompt]]\nid = \"one\"\ntext = \"Explain a bridge.\"\n"};
}

void read_generation(const std::string& bytes) {
  static const TemporaryFolder folder(memory_folder());
  const std::string saved = folder.path("saved.json");
  const auto config = taken_config(folder.file("generation_config.json", bytes));
  if (!config) return;
  plan_of(*config);
  save_generation_config(*config, saved);
  require(saved_values(config_of(saved)) == saved_values(*config),
          "a config that was saved is read as the same");
}

std::vector<std::string> generation_seeds() {
  return {R"({"do_sample": true, "temperature": 0.7, "top_k": 40, "top_p": 0.9, "min_p": 0.02,)"
          R"("repetition_penalty": 1.1, "no_repeat_ngram_size": 3, "max_new_tokens": 8,)"
          R"("eos_token_id": [2, 7], "bad_words_ids": [[5], [6, 1]], "typical_p": 0.95})",
          R"({"num_beams": 4, "early_stopping": true, "length_penalty": 0.8, "max_length": 64,)"
          R"("num_return_sequences": 2, "suppress_tokens": [1, 2], "forced_eos_token_id": 2})",
          R"({"penalty_alpha": 0.6, "top_k": 4, "sequence_bias": [[[3, 4], -2.5]]})"};
}

void read_bridge(const std::string& bytes) {
  Bytes input(bytes);
  const TokenizerPair& pair = chosen_pair(input.next());
  const std::size_t look_behind = input.next() % 12;
  std::vector<Token> tokens(input.next() % 32);
  for (Token& token : tokens) {
    const unsigned high = input.next();
    token = static_cast<Token>((256 * high + input.next()) %
                               static_cast<unsigned>(pair.target->vocab_size()));
  }
  RetokenizedText text(pair, look_behind);
  for (std::size_t size = 1; size <= tokens.size(); ++size) {
    text.read(std::span(tokens).first(size));
    require(text.pending().size() < 4, "less than a character that waits for its end");
    require_ids(*pair.drafter, text.draft_tokens());
  }
  require_growth_has_no_trace(pair, tokens);
  const std::string draft = input.rest();
  const std::vector<Token> spelled = spelled_behind(*pair.target, tokens, draft, look_behind);
  require_ids(*pair.target, spelled);
  require(spelled.empty() || bytes_of_tokens(*pair.target, spelled) == draft,
          "tokens that spell the draft");
}

std::vector<std::string> bridge_seeds() {
  using namespace std::string_literals;
  return {"\x00\x00\x04\x00\x41\x00\x42\x01\x10\x00\xC3 na\xC3\xAFve \xF0\x9F\x90\x9D"s,
          "\x01\x0A\x06\x00\x30\x00\x31\x00\x80\x00\x90\x01\x00\x00\x20 return x1\n"s};
}

}  // namespace speclab::fuzz
