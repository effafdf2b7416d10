#include <array>

#include "engines/tokenizers/pre_tokenizer.h"

// White space as Unicode's property White_Space has it; PCRE2's own \s adds U+180E.
#define SPACES \
  R"(\t-\r \x{85}\x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000})"
// Runs are possessive where giving back could not help: a run of a million letters then needs no
// stack.
#define GPT2                                                                            \
  R"('(?:[stmd]|re|ve|ll)| ?\p{L}++| ?\p{N}++| ?[^)" SPACES R"(\p{L}\p{N}]++|[)" SPACES \
  R"(]+(?![^)" SPACES R"(])|[)" SPACES R"(]++)"
#define LLAMA3(NUMBERS)                                                               \
  R"((?i:'(?:[stmd]|re|ve|ll))|[^\r\n\p{L}\p{N}]?\p{L}++|)" NUMBERS R"(| ?[^)" SPACES \
  R"(\p{L}\p{N}]++[\r\n]*+|[)" SPACES R"(]*[\r\n]++|[)" SPACES R"(]+(?![^)" SPACES    \
  R"(])|[)" SPACES R"(]++)"

namespace speclab::engines {
namespace {

struct Named {
  std::string_view name;
  std::span<const std::string_view> patterns;
};

constexpr std::array<std::string_view, 2> kSmollm = {R"(\p{N})", GPT2};
constexpr std::array<std::string_view, 1> kGpt2 = {GPT2};
constexpr std::array<std::string_view, 1> kLlama3 = {LLAMA3(R"(\p{N}{1,3})")};
constexpr std::array<std::string_view, 1> kQwen2 = {LLAMA3(R"(\p{N})")};
constexpr std::array<std::string_view, 4> kDefault = {R"([\p{P}$+<=>^~|]++)", GPT2, R"(\p{N}++)",
                                                      R"([0-9]{3})"};

/// @source the tokenizers of SmolLM2, GPT-2, Llama 3 and Qwen2; `default` is what GGUF files
/// without a name mean
constexpr std::array<Named, 5> kNamed = {{
    {"smollm", kSmollm},
    {"gpt-2", kGpt2},
    {"llama-bpe", kLlama3},
    {"qwen2", kQwen2},
    {"default", kDefault},
}};

}  // namespace

std::span<const std::string_view> pre_tokenizer_patterns(std::string_view name) {
  for (const Named& named : kNamed) {
    if (named.name == name) return named.patterns;
  }
  return {};
}

std::string known_pre_tokenizers() {
  std::string names;
  for (const Named& named : kNamed) names.append(names.empty() ? "" : " ").append(named.name);
  return names;
}

}  // namespace speclab::engines
