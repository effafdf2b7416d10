// A row's result must not depend on the rows beside it: bit for bit, under every kernel set,
// arithmetic and team size.

#include <gtest/gtest.h>

#include <tuple>

#include "tests/engines/models/tiny_llama.h"

namespace speclab::engines {
namespace {

using testing::chain_rows;
using testing::commit_all;
using testing::copy_rows;
using testing::logits_of;
using testing::random_tokens;

struct RowsSetting {
  const cpu::CpuKernels* kernels;
  cpu::NumberForms numbers;
  int threads;

  bool is_low_bit() const { return numbers.weights == cpu::WeightChoice::q8; }
};

/// Every kernel set with one thread, the best one also with teams.
std::vector<RowsSetting> settings() {
  std::vector<RowsSetting> all;
  std::vector<cpu::NumberForms> arithmetics = {cpu::ElementType::float32,
                                               cpu::ElementType::bfloat16};
  for (const auto kind :
       {cpu::ProductKind::exact, cpu::ProductKind::int8, cpu::ProductKind::bfloat16})
    arithmetics.emplace_back(cpu::WeightChoice::q8, kind);
  for (const cpu::NumberForms& numbers : arithmetics) {
    for (auto kernels = cpu::runnable_kernels(); *kernels; ++kernels)
      all.push_back({*kernels, numbers, 1});
    for (const int threads : {2, 3}) all.push_back({cpu::best_kernels(), numbers, threads});
  }
  return all;
}

std::string setting_name(const ::testing::TestParamInfo<RowsSetting>& named) {
  const RowsSetting& s = named.param;
  std::string arithmetic = s.numbers.name();
  std::erase_if(arithmetic, [](char c) { return c == ' '; });
  return std::string(s.kernels->name) + "_" + arithmetic + "_" + std::to_string(s.threads);
}

class LlamaRows : public ::testing::TestWithParam<RowsSetting> {
 protected:
  std::vector<Token> tokens(std::size_t count) {
    return random_tokens(random_, config_.vocab_size, count);
  }

  std::mt19937 random_{7};
  DecoderShape config_ = testing::tiny_config();
  std::unique_ptr<LanguageModel> model_ = testing::tiny_model(
      config_,
      {.type = GetParam().numbers, .threads = GetParam().threads, .kernels = GetParam().kernels});
};

INSTANTIATE_TEST_SUITE_P(, LlamaRows, ::testing::ValuesIn(settings()), setting_name);

TEST_P(LlamaRows, UseTheKernelsAndTheTypeAskedFor) {
  const std::string name = GetParam().kernels->name;
  EXPECT_EQ(model_->info().kernels, GetParam().is_low_bit() ? name + ", weights in Q8_0" : name);
  EXPECT_EQ(model_->info().dtype, GetParam().numbers.name());
}

TEST_P(LlamaRows, OfAChainEqualOneTokenAtATime) {
  const auto text = tokens(41);
  const auto at_once = logits_of(*model_, text);
  const auto cache = model_->make_cache(1, 41);
  const std::int32_t slot = cache->begin();
  for (std::size_t i = 0; i < text.size(); ++i)
    EXPECT_EQ(commit_all(*model_, *cache, slot, std::span(text).subspan(i, 1)).front(), at_once[i])
        << i;
}

TEST_P(LlamaRows, OfAPromptDoNotDependOnItsChunks) {
  const auto text = tokens(70);
  const auto at_once = logits_of(*model_, text);
  for (const std::size_t chunk : {2U, 5U, 13U, 16U, 33U, 64U}) {
    const auto cache = model_->make_cache(1, 70);
    const std::int32_t slot = cache->begin();
    for (std::size_t i = 0; i < text.size(); i += chunk) {
      const auto part = std::span(text).subspan(i, std::min(chunk, text.size() - i));
      EXPECT_EQ(commit_all(*model_, *cache, slot, part).back(), at_once[i + part.size() - 1])
          << "chunk " << chunk << " at " << i;
    }
  }
}

/// A tree behind a committed prefix, grown at random: many rows hang from the same few.
struct RandomTree {
  std::vector<ForwardRow> rows;
  std::vector<std::vector<Token>> paths;  ///< tokens from the tree's first level to each row
};

void grow(RandomTree& tree, std::mt19937& random, const DecoderShape& config, std::int32_t slot,
          std::int32_t length, int count) {
  const std::size_t first = tree.rows.size();
  for (int i = 0; i < count; ++i) {
    const std::size_t choice = first + random() % (static_cast<std::size_t>(i) + 1);
    const bool is_root = choice == tree.rows.size() || i == 0;
    const Token token = random_tokens(random, config.vocab_size, 1).front();
    std::vector<Token> path = is_root ? std::vector<Token>{} : tree.paths[choice];
    path.push_back(token);
    tree.rows.push_back({token, length + static_cast<std::int32_t>(path.size()) - 1, slot,
                         is_root ? ForwardRow::kCommitted : static_cast<std::int32_t>(choice)});
    tree.paths.push_back(std::move(path));
  }
}

/// Each path from the root to a leaf in a forward of its own, every row of which is a node.
void expect_equal_paths(LanguageModel& model, const std::vector<Token>& prefix,
                        const RandomTree& tree, const std::vector<std::vector<float>>& logits) {
  std::vector<bool> has_child(tree.rows.size(), false);
  for (const ForwardRow& row : tree.rows)
    if (row.parent != ForwardRow::kCommitted)
      has_child[static_cast<std::size_t>(row.parent)] = true;
  for (std::size_t leaf = 0; leaf < tree.rows.size(); ++leaf) {
    if (has_child[leaf]) continue;
    auto text = prefix;
    text.insert(text.end(), tree.paths[leaf].begin(), tree.paths[leaf].end());
    const auto alone = logits_of(model, text);
    auto place = text.size();
    for (auto row = static_cast<std::int32_t>(leaf); row != ForwardRow::kCommitted;
         row = tree.rows[static_cast<std::size_t>(row)].parent)
      ASSERT_EQ(logits[static_cast<std::size_t>(row)], alone[--place])
          << "row " << row << " of " << tree.rows.size() << " behind " << prefix.size();
  }
}

/// Some 250 trees on each kernel and type of number, well over a thousand in all; threads, which
/// wait for one another, and low-bit weights, which share the rest, get fewer.
TEST_P(LlamaRows, OfRandomTreesEqualPathByPath) {
  const int single = GetParam().is_low_bit() ? 50 : 250;
  for (int i = 0; i < (GetParam().threads == 1 ? single : 10); ++i) {
    const auto prefix = tokens(random_() % 40);
    const auto cache = model_->make_cache(1, 128);
    const std::int32_t slot = cache->begin();
    if (!prefix.empty()) commit_all(*model_, *cache, slot, prefix);
    RandomTree tree;
    grow(tree, random_, config_, slot, static_cast<std::int32_t>(prefix.size()),
         1 + static_cast<int>(random_() % 64));
    ASSERT_NO_FATAL_FAILURE(
        expect_equal_paths(*model_, prefix, tree, copy_rows(model_->forward(tree.rows, *cache))));
  }
}

TEST_P(LlamaRows, OfABatchOfTreesEqualThoseOfOneSequence) {
  const auto cache = model_->make_cache(3, 128);
  std::vector<std::vector<Token>> prefixes;
  RandomTree forest;
  for (const std::size_t length : {3U, 20U, 48U}) {
    prefixes.push_back(tokens(length));
    const std::int32_t slot = cache->begin();
    commit_all(*model_, *cache, slot, prefixes.back());
    grow(forest, random_, config_, slot, static_cast<std::int32_t>(length), 7);
  }
  const auto logits = copy_rows(model_->forward(forest.rows, *cache));
  for (std::size_t row = 0; row < forest.rows.size(); ++row) {
    auto text = prefixes[static_cast<std::size_t>(forest.rows[row].sequence)];
    text.insert(text.end(), forest.paths[row].begin(), forest.paths[row].end());
    EXPECT_EQ(logits[row], logits_of(*model_, text).back()) << "row " << row;
  }
}

TEST_P(LlamaRows, ContinueACommittedPathAsAFreshRun) {
  const auto prefix = tokens(19), after = tokens(5);
  const auto cache = model_->make_cache(1, 128);
  const std::int32_t slot = cache->begin();
  commit_all(*model_, *cache, slot, prefix);
  // 0 - 1 - 3 - 5, with 2, 4 and 6 hanging beside the path
  const auto t = tokens(7);
  const std::int32_t parents[] = {ForwardRow::kCommitted, 0, 0, 1, 1, 3, 2},
                     depths[] = {0, 1, 1, 2, 2, 3, 2};
  std::vector<ForwardRow> rows;
  for (std::size_t i = 0; i < 7; ++i) rows.push_back({t[i], 19 + depths[i], slot, parents[i]});
  model_->forward(rows, *cache);
  const std::vector<std::int32_t> path{0, 1, 3, 5};
  cache->commit(slot, path);
  EXPECT_EQ(cache->length(slot), 23);
  auto text = prefix;
  for (const std::int32_t row : path) text.push_back(t[static_cast<std::size_t>(row)]);
  text.insert(text.end(), after.begin(), after.end());
  EXPECT_EQ(commit_all(*model_, *cache, slot, after).back(), logits_of(*model_, text).back());
}

TEST_P(LlamaRows, GiveLogitsForTheRowsThatWantThemOnly) {
  const auto text = tokens(14);
  const auto all = logits_of(*model_, text);
  const auto cache = model_->make_cache(1, 14);
  auto rows = chain_rows(text, cache->begin(), 0);
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i].wants_logits = i == 3 || i == 4 || i == 13;
  EXPECT_EQ(copy_rows(model_->forward(rows, *cache)),
            (std::vector<std::vector<float>>{all[3], all[4], all[13]}));
}

}  // namespace
}  // namespace speclab::engines
