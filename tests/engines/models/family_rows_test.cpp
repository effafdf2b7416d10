// A row of any family must not depend on the rows beside it, bit for bit, and a twin that drafts
// must not change greedy text.

#include <gtest/gtest.h>

#include "engines/decoding/host_round_decoder.h"
#include "engines/decoding/plain_decoder.h"
#include "engines/drafters/drafters.h"
#include "engines/verifiers/verifier.h"
#include "tests/engines/decoding/tiny_decoding.h"
#include "tests/engines/families/family_models.h"
#include "tests/engines/models/tiny_llama.h"

namespace speclab::engines {
namespace {

using speclab::testing::FamilyFixture;
using testing::commit_all;
using testing::FamilyFolder;
using testing::logits_of;

constexpr cpu::ElementType kTypes[] = {cpu::ElementType::float32, cpu::ElementType::bfloat16};

class FamilyRows : public ::testing::TestWithParam<std::string> {
 protected:
  FamilyFixture family_ = speclab::testing::read_family(GetParam());
  FamilyFolder target_{family_, family_.target};
  FamilyFolder twin_{family_, family_.twin};
};

INSTANTIATE_TEST_SUITE_P(, FamilyRows, ::testing::ValuesIn(speclab::testing::family_names()),
                         [](const auto& named) { return named.param; });

std::vector<std::vector<float>> one_at_a_time(LanguageModel& model, std::span<const Token> text) {
  const auto cache = model.make_cache(1, static_cast<std::int32_t>(text.size()));
  const std::int32_t slot = cache->begin();
  std::vector<std::vector<float>> rows;
  for (std::size_t i = 0; i < text.size(); ++i)
    rows.push_back(commit_all(model, *cache, slot, text.subspan(i, 1)).front());
  return rows;
}

/// Defect: a sum, window, expert or padded value of a row depends on how many rows a forward has.
TEST_P(FamilyRows, OfATextEqualOneTokenAtATime) {
  const std::vector<Token> text = testing::text_of(family_);
  for (const cpu::ElementType type : kTypes)
    for (auto kernels = cpu::runnable_kernels(); *kernels != nullptr; ++kernels) {
      const auto model = target_.on_cpu(type, *kernels);
      EXPECT_EQ(one_at_a_time(*model, text), logits_of(*model, text)) << (*kernels)->name;
    }
}

/// Two branches behind a committed prefix: 0 - 1 - 3 - 5 and 0 - 2 - 4.
std::vector<ForwardRow> small_tree(std::span<const Token> tokens, std::int32_t slot,
                                   std::int32_t position) {
  const std::int32_t parents[] = {ForwardRow::kCommitted, 0, 0, 1, 2, 3},
                     depths[] = {0, 1, 1, 2, 2, 3};
  std::vector<ForwardRow> rows;
  for (std::size_t i = 0; i < 6; ++i)
    rows.push_back({tokens[i], position + depths[i], slot, parents[i]});
  return rows;
}

/// Defect: a branch sees its neighbour, or a window is counted in slots where it is positions.
TEST_P(FamilyRows, OfATreeEqualTheirPathAlone) {
  const std::vector<Token> text = testing::text_of(family_);
  const std::span prefix = std::span(text).first(30), tokens = std::span(text).subspan(30, 6);
  for (const cpu::ElementType type : kTypes) {
    const auto model = target_.on_cpu(type);
    const auto cache = model->make_cache(1, 64);
    const std::int32_t slot = cache->begin();
    commit_all(*model, *cache, slot, prefix);
    const auto logits = testing::copy_rows(model->forward(small_tree(tokens, slot, 30), *cache));
    for (const std::vector<std::size_t>& path : {std::vector<std::size_t>{0, 1, 3, 5}, {0, 2, 4}}) {
      std::vector<Token> alone(prefix.begin(), prefix.end());
      for (const std::size_t row : path) alone.push_back(tokens[row]);
      EXPECT_EQ(logits[path.back()], logits_of(*model, alone).back()) << path.size();
    }
    cache->commit(slot, std::vector<std::int32_t>{0, 2, 4});
    const std::vector<Token> continued{text[30], text[32], text[34], text[40]};
    std::vector<Token> alone(prefix.begin(), prefix.end());
    alone.insert(alone.end(), continued.begin(), continued.end());
    EXPECT_EQ(commit_all(*model, *cache, slot, std::span(text).subspan(40, 1)).back(),
              logits_of(*model, alone).back())
        << "behind a committed branch";
  }
}

/// Hands out one model, whatever is asked for.
class OneModel final : public DrafterModels {
 public:
  explicit OneModel(std::shared_ptr<LanguageModel> model) : model_(std::move(model)) {}
  std::shared_ptr<LanguageModel> language_model(const std::string&, const std::string&) override {
    return model_;
  }
  std::shared_ptr<MlpSpeculator> mlp_speculator(const std::string&) override { return nullptr; }
  std::shared_ptr<const NgramModel> ngrams(const std::string&, const std::string&) override {
    return nullptr;
  }

 private:
  std::shared_ptr<LanguageModel> model_;
};

std::vector<Token> decoded(RoundDecoder& decoder, const FamilyFixture& family) {
  return testing::output_ids(testing::decode(decoder, {{0, family.prompt}}, 4)).front();
}

/// transformers' greedy ids as far as their margins decide them, `count` at most.
std::vector<Token> decided_ids(const FamilyFixture& family, std::size_t count) {
  std::vector<Token> ids;
  while (ids.size() < count && family.margins[ids.size()] > 1e-3)
    ids.push_back(family.greedy[ids.size()]);
  return ids;
}

/// Defect: a drafter of the family changes greedy text, or the text is not transformers'.
TEST_P(FamilyRows, OfADraftingTwinLeaveTheGreedyTextAsItIs) {
  for (const cpu::ElementType type : kTypes) {
    const auto target = target_.on_cpu(type);
    OneModel twin(twin_.on_cpu(type));
    DecoderOptions options;
    options.sampling.temperature = 0;
    options.stop.max_new_tokens = 32;
    PlainDecoder plain(*target, nullptr, options);
    const std::vector<Token> expected = decoded(plain, family_);
    for (const char* tree : {"chain", "3x2x1"}) {
      options.drafter = {.kind = "small_transformer", .tree = tree};
      HostRoundDecoder speculative(*target, nullptr, options,
                                   make_drafter(options, target->info(), twin),
                                   make_verifier(options));
      EXPECT_EQ(decoded(speculative, family_), expected) << tree;
    }
    if (type == cpu::ElementType::bfloat16) continue;
    const std::vector<Token> decided = decided_ids(family_, 32);
    EXPECT_EQ(std::vector<Token>(expected.begin(),
                                 expected.begin() + static_cast<std::ptrdiff_t>(decided.size())),
              decided);
  }
}

}  // namespace
}  // namespace speclab::engines
