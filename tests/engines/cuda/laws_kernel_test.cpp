// Arg max, laws and drafted tokens that the device makes of logits, at vocabularies of every size.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>

#include "engines/cuda/device.h"
#include "engines/cuda/device_memory.h"
#include "engines/cuda/kernels/rounds.h"
#include "sim/core/chance.h"
#include "sim/core/rng_stream.h"
#include "tests/engines/cuda/vocabularies.h"

namespace speclab::engines::cuda {
namespace {

using Rows = std::vector<std::vector<float>>;

constexpr float kInfinity = std::numeric_limits<float>::infinity(),
                kNan = std::numeric_limits<float>::quiet_NaN();
constexpr std::int32_t kLength = 17;  ///< of the sequence before the round
constexpr float kInverseTemperature = 1.0f / 0.7f;

Rows random_rows(int vocab, int rows) {
  std::mt19937 random(static_cast<unsigned>(vocab + rows));
  std::normal_distribution<float> normal(0.0f, 4.0f);
  Rows logits(static_cast<std::size_t>(rows), std::vector<float>(static_cast<std::size_t>(vocab)));
  for (auto& row : logits) std::ranges::generate(row, [&] { return normal(random); });
  return logits;
}

/// As the head leaves it: the best of 16 consecutive tokens, the first of equal ones, or one that
/// is no number.
BestLogit best_of(std::span<const float> row, std::size_t begin) {
  BestLogit best{row[begin], static_cast<std::int32_t>(begin)};
  for (std::size_t i = begin; i < std::min(row.size(), begin + 16) && best.value == best.value; ++i)
    if (!(row[i] <= best.value)) best = {row[i], static_cast<std::int32_t>(i)};
  return best;
}

/// What is known after the kernels that read the logits of a pass.
struct Outcome {
  RoundState state{};
  std::vector<float> exponentials;
  std::vector<double> sums;
};

enum class Reader { target_laws, choose_draft };

/// The tokens that rows have logits of, and how many tokens there are; all where none is named.
struct RowTokens {
  std::vector<std::int32_t> tokens;
  std::size_t vocab;

  std::vector<std::int32_t> rows() const {
    std::vector<std::int32_t> rows(vocab, -1);
    for (std::size_t row = 0; row < tokens.size(); ++row)
      rows[static_cast<std::size_t>(tokens[row])] = static_cast<std::int32_t>(row);
    return rows;
  }
};

/// One row is read as the draft's law, all of them as the target's.
Outcome read_by(Reader reader, const Device& device, const Rows& rows, float inverse_temperature,
                const RowTokens& of = {}) {
  const std::size_t size = rows.front().size(), vocab = of.tokens.empty() ? size : of.vocab,
                    blocks = (size + 15) / 16;
  std::vector<float> logits;
  std::vector<BestLogit> best;
  for (const auto& row : rows) {
    logits.insert(logits.end(), row.begin(), row.end());
    for (std::size_t block = 0; block < blocks; ++block) best.push_back(best_of(row, block * 16));
  }
  const auto device_logits = on_device<float>(logits);
  const auto device_best = on_device<BestLogit>(best);
  const PinnedArray<float> exponentials(rows.size() * vocab);
  const PinnedArray<double> sums(rows.size());
  const PinnedArray<RoundState> state(1);
  *state.data() = RoundState{};
  state.data()->length = kLength;
  state.data()->seed = 77;
  state.data()->inverse_temperature = inverse_temperature;
  state.data()->rows = static_cast<std::int32_t>(rows.size());
  const DeviceArray<ForwardState> draft = zeros_on_device<ForwardState>(1);
  PassOutput output{device_logits.data(), device_best.data(), static_cast<std::int32_t>(blocks)};
  DeviceArray<std::int32_t> tokens, row_of_token;
  if (!of.tokens.empty()) {
    tokens = on_device<std::int32_t>(of.tokens);
    row_of_token = on_device<std::int32_t>(of.rows());
    output.tokens = tokens.data();
    output.rows = row_of_token.data();
    output.size = static_cast<std::int32_t>(size);
  }
  const DeviceLaws laws{exponentials.data(), sums.data(), static_cast<std::int32_t>(vocab)};
  if (reader == Reader::target_laws)
    launch_target_laws(state.data(), static_cast<int>(rows.size()), output, laws, device.context());
  else
    launch_choose_draft(state.data(), draft.data(), 0, output, laws, device.context());
  device.synchronize();
  return {*state.data(),
          {exponentials.data(), exponentials.data() + exponentials.size()},
          {sums.data(), sums.data() + sums.size()}};
}

/// Two units in the last place for the device's expf, and what is below the normal numbers.
void expect_law(std::span<const float> exponentials, double sum, std::span<const float> logits) {
  const float largest = *std::ranges::max_element(logits);
  for (std::size_t i = 0; i < logits.size(); ++i) {
    const double expected =
        std::exp(static_cast<double>((logits[i] - largest) * kInverseTemperature));
    ASSERT_NEAR(static_cast<double>(exponentials[i]), expected,
                0x1p-22 * expected + static_cast<double>(std::numeric_limits<float>::min()))
        << "token " << i << " of " << logits.size();
  }
  const double total = std::accumulate(exponentials.begin(), exponentials.end(), 0.0);
  EXPECT_NEAR(sum, total, static_cast<double>(logits.size()) * 0x1p-52 * total)
      << logits.size();  // a rounding a term
}

class LawsKernel : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!device_is_there()) GTEST_SKIP() << "no CUDA device is here";
    device_ = std::make_unique<Device>();
  }

  void expect_damage(const std::vector<float>& row, const char* what) {
    const auto vocab = static_cast<std::int32_t>(row.size());
    for (const float inverse_temperature : {0.0f, kInverseTemperature}) {
      const RoundState of_target =
          read_by(Reader::target_laws, *device_, {row}, inverse_temperature).state;
      EXPECT_EQ(of_target.is_damaged, 1) << what << " among " << vocab << ", target";
      EXPECT_TRUE(of_target.best[0] >= 0 && of_target.best[0] < vocab)
          << what << ": " << of_target.best[0] << " of " << vocab;
      const RoundState of_draft =
          read_by(Reader::choose_draft, *device_, {row}, inverse_temperature).state;
      EXPECT_EQ(of_draft.is_damaged, 1) << what << " among " << vocab << ", draft";
      EXPECT_TRUE(of_draft.drafted[0] >= 0 && of_draft.drafted[0] < vocab)
          << what << ": " << of_draft.drafted[0] << " of " << vocab;
    }
  }

  std::unique_ptr<Device> device_;
};

TEST_F(LawsKernel, AreTheSoftmaxOfEveryRow) {
  for (const int vocab : kVocabularies) {
    const Rows rows = random_rows(vocab, 3);
    const Outcome found = read_by(Reader::target_laws, *device_, rows, kInverseTemperature);
    EXPECT_EQ(found.state.is_damaged, 0);
    for (std::size_t row = 0; row < rows.size(); ++row) {
      EXPECT_EQ(found.state.best[row], std::ranges::max_element(rows[row]) - rows[row].begin())
          << "row " << row << " of " << vocab;
      expect_law(std::span(found.exponentials).subspan(row * rows[row].size(), rows[row].size()),
                 found.sums[row], rows[row]);
    }
  }
}

TEST_F(LawsKernel, DraftsTheHostsDrawFromTheLawLeftBehind) {
  for (const int vocab : kVocabularies) {
    const Rows rows = random_rows(vocab, 1);
    const Outcome found = read_by(Reader::choose_draft, *device_, rows, kInverseTemperature);
    expect_law(found.exponentials, found.sums[0], rows[0]);
    std::vector<float> law = found.exponentials;
    for (float& weight : law) weight *= static_cast<float>(1.0 / found.sums[0]);
    const auto drawn =
        PhiloxChance(77).categorical(draft_key({0, kLength, 0}, 0, 1), std::span<const float>(law));
    EXPECT_EQ(found.state.drafted[0], static_cast<std::int32_t>(drawn)) << vocab;
  }
}

TEST_F(LawsKernel, TakeTheLowestOfEqualLogits) {
  for (const int vocab : kVocabularies)
    for (const int first : {0, 7, vocab / 2, vocab - 1}) {
      if (first >= vocab) continue;
      std::vector<float> row = random_rows(vocab, 1).front();
      for (int i = first; i < vocab; i += 1 + i % 19) row[static_cast<std::size_t>(i)] = 40.0f;
      EXPECT_EQ(read_by(Reader::target_laws, *device_, {row}, 0.0f).state.best[0], first) << vocab;
      EXPECT_EQ(read_by(Reader::choose_draft, *device_, {row}, 0.0f).state.drafted[0], first)
          << vocab;
    }
}

TEST_F(LawsKernel, NoteLogitsThatAreNoFiniteNumbersAndNameATokenOfTheVocabulary) {
  for (const int vocab : {1, 31, 33, 1024, 1025, 49152}) {
    for (const int at : {0, vocab / 2, vocab - 1})
      for (const float bad : {kNan, kInfinity}) {
        std::vector<float> row = random_rows(vocab, 1).front();
        row[static_cast<std::size_t>(at)] = bad;
        expect_damage(row, bad == kInfinity ? "infinity" : "no number");
      }
    expect_damage(std::vector<float>(static_cast<std::size_t>(vocab), -kInfinity),
                  "nothing but -infinity");
    expect_damage(std::vector<float>(static_cast<std::size_t>(vocab), kNan), "no numbers at all");
  }
}

/// Defect: the arg max names a row of the head, or a law is that of other tokens.
TEST_F(LawsKernel, OfADraftVocabularyAreThoseOfItsLogitsSpreadOverAllTokens) {
  constexpr std::size_t kVocab = 3000;
  Rows drafted = random_rows(700, 2), spread(2, std::vector<float>(kVocab, -kInfinity));
  drafted[1][50] = drafted[1][600] = 40.0f;
  RowTokens of{{}, kVocab};
  for (std::size_t i = 0; i < drafted[0].size(); ++i) {
    of.tokens.push_back(static_cast<std::int32_t>(4 * i + i % 3));
    for (std::size_t row = 0; row < 2; ++row)
      spread[row][static_cast<std::size_t>(of.tokens.back())] = drafted[row][i];
  }
  for (const Reader reader : {Reader::target_laws, Reader::choose_draft})
    for (const float inverse_temperature : {0.0f, kInverseTemperature}) {
      const Outcome whole = read_by(reader, *device_, spread, inverse_temperature),
                    found = read_by(reader, *device_, drafted, inverse_temperature, of);
      for (std::size_t row = 0; row < 2; ++row)
        EXPECT_EQ(found.state.best[row], whole.state.best[row]) << row;
      EXPECT_EQ(found.state.drafted[0], whole.state.drafted[0]);
      if (inverse_temperature == 0.0f) continue;
      const std::size_t rows = reader == Reader::target_laws ? 2 : 1;
      EXPECT_TRUE(std::equal(found.sums.begin(),
                             found.sums.begin() + static_cast<std::ptrdiff_t>(rows),
                             whole.sums.begin()));
      EXPECT_TRUE(
          std::equal(found.exponentials.begin(),
                     found.exponentials.begin() + static_cast<std::ptrdiff_t>(rows * kVocab),
                     whole.exponentials.begin()));
    }
}

TEST_F(LawsKernel, GiveNothingToATokenOfLogitMinusInfinity) {
  std::vector<float> row = random_rows(1500, 1).front();
  row[3] = row[1499] = -kInfinity;
  const Outcome found = read_by(Reader::target_laws, *device_, {row}, kInverseTemperature);
  EXPECT_EQ(found.state.is_damaged, 0);
  EXPECT_EQ(found.exponentials[3], 0.0f);
  EXPECT_EQ(found.exponentials[1499], 0.0f);
  expect_law(found.exponentials, found.sums[0], row);
}

}  // namespace
}  // namespace speclab::engines::cuda
