#include <algorithm>
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
#define SHORT_FORMS R"((?i:'(?:[stmd]|re|ve|ll)))"
#define BLANK_RUNS \
  R"(|[)" SPACES R"(]*[\r\n]++|[)" SPACES R"(]+(?![^)" SPACES R"(])|[)" SPACES R"(]++)"
#define LLAMA3(NUMBERS)                                                  \
  SHORT_FORMS R"(|[^\r\n\p{L}\p{N}]?\p{L}++|)" NUMBERS R"(| ?[^)" SPACES \
              R"(\p{L}\p{N}]++[\r\n]*+)" BLANK_RUNS
// A word in capitals and then in small letters; both kinds of letters hold those of scripts that
// know no difference.
#define UPPER R"(\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M})"
#define LOWER R"(\p{Ll}\p{Lm}\p{Lo}\p{M})"
#define CASED(BEFORE, AFTER)                                                        \
  R"([^\r\n\p{L}\p{N}]?(?:)" BEFORE "[" UPPER "])*(?:" BEFORE "[" LOWER "])+" AFTER \
  R"(|[^\r\n\p{L}\p{N}]?(?:)" BEFORE "[" UPPER "])+(?:" BEFORE "[" LOWER "])*" AFTER
#define MARKS_AND_BLANKS(ENDS) R"(| ?[^)" SPACES R"(\p{L}\p{N}]++)" ENDS BLANK_RUNS
#define DEEPSEEK3                                                                       \
  R"([!-/:-@\[-`{-~][A-Za-z]++|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]++| ?[\p{P}\p{S}]++)" \
  R"([\r\n]*+)" BLANK_RUNS
#define THREES R"((?=(?:\p{Nd}{3})+(?!\p{Nd})))"
#define BLOOM R"( ?[^()" SPACES R"(|.,!?…。，、।۔،)]++)"

namespace speclab::engines {
namespace {

using Patterns = std::span<const std::string_view>;
template <std::size_t Count>
using Texts = std::array<std::string_view, Count>;

constexpr Texts<2> kSmollm = {R"(\p{N})", GPT2};
constexpr Texts<1> kGpt2 = {GPT2};
constexpr Texts<1> kLlama3 = {LLAMA3(R"(\p{N}{1,3})")};
constexpr Texts<1> kQwen2 = {LLAMA3(R"(\p{N})")};
constexpr Texts<4> kDefault = {R"([\p{P}$+<=>^~|]++)", GPT2, R"(\p{N}++)", R"([0-9]{3})"};
constexpr Texts<3> kFalcon = {R"([\p{P}$+<=>^~|`]++)", GPT2, R"([0-9]{3})"};
constexpr Texts<1> kTekken = {CASED("", "") R"(|\p{N})" MARKS_AND_BLANKS(R"([\r\n/]*+)")};
constexpr Texts<1> kGpt4o = {
    CASED("", SHORT_FORMS "?") R"(|\p{N}{1,3})" MARKS_AND_BLANKS(R"([\r\n/]*+)")};
constexpr Texts<1> kKimi = {R"(\p{Han}++|)" CASED(
    R"((?!\p{Han}))", SHORT_FORMS "?") R"(|\p{N}{1,3})" MARKS_AND_BLANKS(R"([\r\n]*+)")};
constexpr Texts<3> kDeepseek3 = {R"(\p{N}{1,3})", "[一-龥\u3040-ゟ゠-ヿ]++", DEEPSEEK3};
constexpr Texts<5> kDeepseekCoder = {R"([\r\n])", R"([)" SPACES R"(]?\p{L}++)",
                                     R"([)" SPACES R"(]?\p{P}++)",
                                     R"([一-龥\x{800}-一가-\x{d7ff}]++)", R"(\p{N})"};
constexpr Texts<6> kDeepseekLlm = {
    R"([\r\n])",
    // Letters of alphabets with capitals; without Georgian, mathematical ones and late additions.
    R"([)" SPACES R"(]?(?:(?![\x{10d0}-\x{10ff}\x{10570}-\x{105bc}\x{1d400}-\x{1d7ff})"
    R"(\x{1df00}-\x{1df2a}])\p{L&})++)",
    R"([)" SPACES R"(]?[!-/:-~！-／：-～‘-‟\x{3000}-。]++)", R"([)" SPACES R"(]+\z)",
    R"([一-龥\x{800}-一가-\x{d7ff}]++)", R"(\p{N}++)"};
constexpr Texts<1> kBloom = {BLOOM};
constexpr Texts<2> kViking = {BLOOM, R"(\p{N})"};
constexpr Texts<6> kChameleon = {R"(<sentinel:[0-9]+>)",    R"(IMGIMG[A-I]{1,4}Z)",
                                 R"([\t\n]|    |  )",       R"(\p{N})",
                                 R"([\p{P}!-/:-@\[-`{-~])", GPT2};
constexpr Texts<2> kSuperbpe = {R"(\p{N}++)", THREES};
constexpr Texts<1> kBailing = {SHORT_FORMS R"(|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}| ?[^)" SPACES
                                           R"(\p{L}\p{N}]++[\r\n]*+|[)" SPACES
                                           R"(]*[\r\n]|[)" SPACES R"(]+(?![^)" SPACES
                                           R"(])|[)" SPACES R"(]++)"};
constexpr Texts<1> kSeedCoder = {SHORT_FORMS R"(|[^\r\n\p{L}\p{N}]?\p{L}++|\p{N}| ?[^)" SPACES
                                             R"(\p{L}\p{N}\r\n]++)" BLANK_RUNS};
constexpr Texts<4> kAfmoe = {
    R"(\p{Nd}++)", THREES,
    R"([一-\x{9fff}㐀-䶿\x{f900}-\x{faff}\x{3040}-ゟ゠-ヿ･-ﾟ⼀-\x{2fdf}\x{e40}-\x{e7f}\x{e80}-\x{eff})"
    R"(\x{1780}-\x{17ff}\x{1000}-\x{109f}\x{aa60}-\x{aa7f}\x{a9e0}-\x{a9ff}\x{ac00}-\x{d7af})"
    R"(\x{1100}-\x{11ff}]++)",
    DEEPSEEK3};

enum class Trait : std::uint8_t { plain, begins, whole_pieces_and_begins };

struct Named {
  std::string_view names;  ///< with blanks between them
  Patterns patterns;
  Trait trait = Trait::plain;
};

/// @source the tokenizers of the models, and llama.cpp's src/llama-vocab.cpp for which name means
/// which; `default` is what GGUF files without a name mean
constexpr Named kNamed[] = {
    {"smollm", kSmollm},
    {"gpt-2", kGpt2},
    {"llama-bpe", kLlama3, Trait::whole_pieces_and_begins},
    {"qwen2", kQwen2},
    {"default", kDefault},
    {"llama3 llama-v3 falcon3 falcon-h1 falcon_e pixtral midm-2.0 lfm2 jina-v5-nano", kLlama3,
     Trait::whole_pieces_and_begins},
    {"deepseek-llm", kDeepseekLlm},
    {"deepseek-coder", kDeepseekCoder},
    {"deepseek-v3 hunyuan-dense joyai-llm", kDeepseek3},
    {"falcon", kFalcon},
    {"mpt olmo jais trillion granite-docling phi-2 jina-es jina-de gigachat jina-v1-en jina-v2-es "
     "jina-v2-de jina-v2-code roberta-bpe modern-bert a.x-4.0 mellum exaone4",
     kGpt2},
    {"starcoder refact command-r codeshell exaone minerva-7b", kSmollm},
    {"stablelm2 deepseek-r1-qwen kormo megrez hunyuan grok-2", kQwen2},
    {"dbrx smaug-bpe glm4 chatglm-bpe", kLlama3},
    {"poro-chat bloom gpt3-finnish", kBloom},
    {"viking", kViking},
    {"tekken", kTekken, Trait::whole_pieces_and_begins},
    {"chameleon", kChameleon, Trait::begins},
    {"gpt-4o llama4 kanana2 minimax-m2", kGpt4o},
    {"kimi-k2", kKimi},
    {"superbpe", kSuperbpe},
    {"bailingmoe bailingmoe2 llada-moe", kBailing},
    {"seed-coder", kSeedCoder},
    {"afmoe", kAfmoe}};

const Named* named(std::string_view name) {
  if (name.empty() || name.find(' ') != name.npos) return nullptr;
  const std::string sought = " " + std::string(name) + " ";
  const auto* const found = std::ranges::find_if(kNamed, [&sought](const Named& one) {
    return (" " + std::string(one.names) + " ").find(sought) != std::string::npos;
  });
  return found == std::end(kNamed) ? nullptr : found;
}

}  // namespace

std::span<const std::string_view> pre_tokenizer_patterns(std::string_view name) {
  const Named* known = named(name);
  return known ? known->patterns : Patterns();
}

bool takes_whole_pieces_first(std::string_view pre_tokenizer) {
  const Named* known = named(pre_tokenizer);
  return known && known->trait == Trait::whole_pieces_and_begins;
}

bool begins_texts_by_default(std::string_view pre_tokenizer) {
  const Named* known = named(pre_tokenizer);
  return known && known->trait != Trait::plain;
}

std::string known_pre_tokenizers() {
  std::string names;
  for (const Named& one : kNamed) names.append(names.empty() ? "" : " ").append(one.names);
  return names;
}

}  // namespace speclab::engines
