// Damaged tokenizer.json files: an error of the right type and form, or the tokens that an
// independent slow reader makes.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>

#include "engines/tokenizers/load_tokenizer.h"
#include "sim/system/errors.h"
#include "tests/engines/formats/memory_file.h"
#include "tests/engines/formats/mutants.h"
#include "tests/engines/tokenizers/slow_tokenizer.h"

namespace speclab::engines {
namespace {

using namespace speclab::testing;

/// What the readers must agree about: words of letters, which every pre-tokenizer leaves whole.
constexpr const char* kWords[] = {"a", "b", "ab", "ba", "aab", "abab", "abba", "bbaab"};

std::vector<std::string> seeds() {
  const std::string bytes = R"("pre_tokenizer":{"type":"ByteLevel","add_prefix_space":false})";
  return {
      "{" + bytes + R"(,"model":{"vocab":{"a":0,"b":1,"ab":2,"aab":3},"merges":["a b","a ab"]}})",
      "{" + bytes +
          R"(,"added_tokens":[{"id":4,"content":"<s>","special":true}],"model":{"type":"BPE",)"
          R"("ignore_merges":true,"vocab":{"a":0,"b":1,"ba":2,"bab":3},"merges":["b a"]}})",
      R"({"pre_tokenizer":{"type":"Sequence","pretokenizers":[{"type":"Digits",)"
      R"("individual_digits":true},{"type":"ByteLevel","add_prefix_space":false}]},)"
      R"("post_processor":{"type":"TemplateProcessing","single":[{"Sequence":{"id":"A"}}]},)"
      R"("model":{"vocab":{"b":1,"a":0,"bb":3,"aa":2},"merges":[["a","a"],["b","b"]]}})"};
}

bool is_plain(const std::string& text) {
  return std::ranges::all_of(text, [](char c) { return c > ' ' && c < '\x7f'; });
}

class TokenizerMutants : public ::testing::Test {
 protected:
  void check(const std::string& text) {
    if (!some_.takes_next()) return;
    ++num_mutants_;
    disk_.write(text);
    try {
      const auto tokenizer = load_tokenizer_from_json(disk_.path());
      ++num_loads_;
      expect_same(SlowTokenizer(read_json_slowly(text, 64)), *tokenizer);
    } catch (const ModelFileError& error) {
      ASSERT_EQ(fault_of_message(error.what()), "") << error.what() << "\n" << text;
    } catch (const SlowRefusal& refusal) {
      FAIL() << "accepted against the rule '" << refusal.rule << "': " << text;
    }
    ASSERT_FALSE(HasFailure()) << text;
  }

  void expect_same(const SlowTokenizer& slow, const Tokenizer& tokenizer) {
    EXPECT_EQ(tokenizer.vocab_size(), slow.num_ids());
    for (const auto& [id, token_text] : slow.texts())
      if (is_plain(token_text))
        EXPECT_EQ(tokenizer.decode(std::vector{static_cast<Token>(id)}), token_text);
    for (const char* word : kWords) {
      const auto expected = slow.encode(word);
      if (!expected) continue;
      const std::vector<Token> found = tokenizer.encode(word, SpecialText::parsed);
      EXPECT_TRUE(std::ranges::equal(found, *expected)) << word;
      ++num_words_;
    }
  }

  MemoryFile disk_;
  EveryNth some_ = some_mutants();
  int num_mutants_ = 0, num_loads_ = 0, num_words_ = 0;
};

std::vector<IntegerField> ids_of(const std::string& seed) {
  std::vector<IntegerField> fields;
  for (const SlowJson& id : read_json_slowly(seed, 64).find("model")->find("vocab")->items)
    fields.push_back({id.offset, id.text.size()});
  return fields;
}

TEST_F(TokenizerMutants, GiveATypedErrorOrTheTokensOfTheSlowReader) {
  for (const std::string& seed : seeds()) {
    check(seed);
    const auto visit = [&](const std::string& text) { check(text); };
    visit_cuts_and_flips(seed, seed.size(), visit);
    visit_fields(seed, ids_of(seed), replace_in_text, visit);
    visit_pairs(seed, ids_of(seed), replace_in_text, visit);
    for (std::size_t at = 0; at < seed.size(); ++at)
      for (const char byte : std::string("{}[],:\"\\0123 ab-e.\n\x7f\x80\xff") + '\0') {
        std::string mutant = seed;
        mutant[at] = byte;
        check(mutant);
      }
  }
  std::printf("tokenizer.json files: %d mutants, %d loads, %d words\n", num_mutants_, num_loads_,
              num_words_);
  EXPECT_GE(num_mutants_, share_of(20000));
  EXPECT_GE(num_words_, share_of(1000)) << "agreement is about loads as well";
}

}  // namespace
}  // namespace speclab::engines
