// Stretches of files that the target reads: which, with what laws, and once.

#include "engines/training/text_corpus.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "engines/training/own_text.h"
#include "sim/system/errors.h"
#include "tests/engines/training/tiny_target.h"

namespace speclab::engines {
namespace {

using testing::TinyTarget;

/// first, first + 1, ...
Corpus corpus_of(const std::string& file, Token first, std::size_t size) {
  Corpus corpus{file, std::vector<Token>(size)};
  std::iota(corpus.tokens.begin(), corpus.tokens.end(), first);
  return corpus;
}

/// Stretches of 10: three and two of the files to train on, two of that held out.
class FileTexts : public ::testing::Test {
 protected:
  FileTexts() {
    options_.text = {.files = {"a", "b"}, .held_out_files = {"c"}, .sequence_length = 10};
    options_.text.cache_file = target_.folder() + "/file_text";
    options_.own_text.batch = 2;
    options_.own_text.keeps_hidden = true;
    options_.schedule.batch = 2;
  }
  FileText read(const TrainOptions& options) {
    const auto model = target_.load();
    return make_file_text(*model, corpora_, options,
                          {[&](const TrainProgress& p) { read_tokens_ = p.tokens; }, check_});
  }

  TinyTarget target_;
  Corpora corpora_{{corpus_of("a", 0, 35), corpus_of("b", 100, 20)}, {corpus_of("c", 200, 29)}};
  TrainOptions options_;
  std::int64_t read_tokens_ = 0;
  std::function<void()> check_;
};

TEST_F(FileTexts, AreStretchesOfTheFilesInTurnBehindThoseHeldOut) {
  const FileText text = read(options_);
  std::vector<Token> begins;
  for (const OwnText& stretch : text.texts) begins.push_back(stretch.tokens.front());
  EXPECT_EQ(begins, (std::vector<Token>{200, 210, 0, 100, 10, 110, 20}));
  EXPECT_EQ(text.held_out, 2);
  options_.schedule.validation_sequences = text.held_out;
  const TextSplit split = split_texts(text.texts, options_);
  EXPECT_EQ(split.held_out.size(), 2u);
  EXPECT_EQ(split.training.size(), 5u) << "alike in their first token or not";
}

TEST_F(FileTexts, HaveTheTargetsLawsAndStates) {
  const FileText text = read(options_);
  const auto model = target_.load();
  const OwnText& stretch = text.texts[2];
  const auto logits = testing::logits_of(*model, stretch.tokens);
  ASSERT_EQ(stretch.laws.size(), 9u) << "of every token but the first";
  for (std::size_t i = 0; i < stretch.laws.size(); ++i) {
    double sum = 0;
    for (const float logit : logits[i]) sum += std::exp(static_cast<double>(logit));
    EXPECT_NEAR(static_cast<double>(stretch.laws[i].log_partition), std::log(sum), 1e-4);
    EXPECT_EQ(stretch.laws[i].tokens[0], std::ranges::max_element(logits[i]) - logits[i].begin());
  }
  EXPECT_EQ(stretch.state_size(), target_.config().hidden_size);
}

TEST_F(FileTexts, AreLimitedInNumber) {
  options_.text.max_sequences = 3;
  options_.schedule.validation_sequences = 1;
  const FileText text = read(options_);
  EXPECT_EQ(text.held_out, 1);
  EXPECT_EQ(text.texts.size(), 4u);
}

TEST_F(FileTexts, OfALargeFileAreSpreadOverIt) {
  corpora_ = {{corpus_of("a", 0, 25), corpus_of("b", 0, 109)}, {corpus_of("c", 200, 29)}};
  options_.text.max_sequences = 6;
  std::vector<Token> begins;
  const FileStretches cut = file_stretches(corpora_, options_);
  for (const TextStretch& stretch : cut.all) begins.push_back(stretch.front());
  EXPECT_EQ(begins, (std::vector<Token>{200, 210, 0, 0, 10, 20, 50, 70}));
}

struct Stopped {};

TEST_F(FileTexts, AreReadOnceAndGoOnWhereTheyStopped) {
  int calls = 0;
  check_ = [&] {
    if (++calls == 6) throw Stopped();
  };
  EXPECT_THROW(read(options_), Stopped);
  check_ = {};
  const FileText whole = read(options_);
  EXPECT_EQ(read_tokens_, 3 * 9) << "two batches of two stretches were kept";
  read_tokens_ = 0;
  EXPECT_EQ(read(options_).texts.size(), whole.texts.size());
  EXPECT_EQ(read_tokens_, 0);
}

TEST_F(FileTexts, OfOtherFilesNeedAnotherCache) {
  read(options_);
  const TrainOptions first = options_;
  options_.text.sequence_length = 5;
  EXPECT_THROW(read(options_), DataError) << "cut otherwise";
  options_ = first;
  options_.schedule.validation_sequences = 1;
  EXPECT_THROW(read(options_), DataError) << "fewer held out";
  corpora_.training[0].tokens[3] = 7;
  EXPECT_THROW(read(first), DataError);
}

TEST_F(FileTexts, OfTooFewStretchesAreRefusedBeforeTheyAreRead) {
  options_.schedule.batch = 6;
  EXPECT_THROW(read(options_), ConfigError);
  EXPECT_EQ(read_tokens_, 0);
}

}  // namespace
}  // namespace speclab::engines
