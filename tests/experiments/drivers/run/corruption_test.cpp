// Damage to a journal of 4 to 20 KB is noticed wherever it is, and a repair measures anew what was
// lost and nothing else (SWP-5).
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <random>
#include <sstream>

#include "analysis/tables/file_digests.h"
#include "sim/system/errors.h"
#include "tests/experiments/drivers/support/journal_payloads.h"
#include "tests/experiments/drivers/support/small_experiment.h"
#include "tests/support/test_size.h"

namespace speclab::experiments {
namespace {

using testing::journal_payloads;
using testing::SmallExperiment;
using testing::TemporaryFolder;

const std::size_t kJournalBytes = speclab::testing::by_size(4'000u, 10'000u, 20'000u);
constexpr std::size_t kPageBytes = 4096;

class Corruption : public ::testing::Test {
 protected:
  void SetUp() override {
    Journal journal = Journal::open(folder_.path());
    for (std::size_t i = 0; size() < kJournalBytes; ++i)
      journal.append("{\"row\": " + std::to_string(i) + std::string(100 + i % 37, 'x') + "}");
    whole_ = read_file(path_);
    payloads_ = journal_payloads(folder_.path());
  }

  std::size_t size() const {
    return std::filesystem::exists(path_) ? std::filesystem::file_size(path_) : 0;
  }

  /// Whether the damage is refused, or cut off with the number of bytes and nothing but the last
  /// line lost.
  bool is_noticed(const std::string& damaged) {
    std::ofstream(path_, std::ios::binary | std::ios::trunc) << damaged;
    try {
      std::vector<std::string> read;
      const Journal journal = Journal::open(
          folder_.path(), Journal::Tail::cut_off,
          [&](std::string_view payload, JournalPlace) { read.emplace_back(payload); });
      const bool is_beginning = read.size() <= payloads_.size() &&
                                std::equal(read.begin(), read.end(), payloads_.begin());
      return is_beginning && journal.num_bytes_cut() > 0 && whole_.starts_with(read_file(path_));
    } catch (const DataError&) {
      return true;
    }
  }

  const TemporaryFolder folder_{testing::memory_folder()};
  const std::string path_ = folder_.path("journal");
  std::string whole_;
  std::vector<std::string> payloads_;
};

TEST_F(Corruption, EveryFlippedBitIsNoticed) {
  ASSERT_GE(whole_.size(), kJournalBytes);
  std::size_t num_missed = 0;
  for (std::size_t bit = 0; bit < 8 * whole_.size(); ++bit) {
    std::string damaged = whole_;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << bit % 8));
    num_missed += is_noticed(damaged) ? 0 : 1;
  }
  RecordProperty("bits", static_cast<int>(8 * whole_.size()));
  EXPECT_EQ(num_missed, 0u);
}

/// A journal that ends behind a line feed is one of a run that was stopped there.
TEST_F(Corruption, EveryTruncationIsNoticedOrIsAnEarlierJournal) {
  for (std::size_t length = 0; length < whole_.size(); ++length)
    if (length > 0 && whole_[length - 1] != '\n') {
      ASSERT_TRUE(is_noticed(whole_.substr(0, length))) << length;
    }
}

/// @return another text, made from the whole one by one random splice, doubling, loss or page of
/// zeros
std::string mangled(const std::string& whole, std::mt19937_64& random) {
  const auto below = [&](std::size_t bound) {
    return std::uniform_int_distribution<std::size_t>(0, bound - 1)(random);
  };
  const std::size_t from = below(whole.size()), length = 1 + below(whole.size() - from),
                    to = below(whole.size());
  std::string text = whole;
  switch (below(4)) {
    case 0:
      return text.insert(to, whole, from, length);  // doubled
    case 1:
      return text.replace(to, length, whole, from, length);  // written to the wrong place
    case 2:
      return text.erase(from, length);  // lost
    default:
      return text.replace(from / kPageBytes * kPageBytes,
                          std::min(kPageBytes, whole.size() - from / kPageBytes * kPageBytes),
                          kPageBytes, '\0');
  }
}

TEST_F(Corruption, SplicesDoublingsLossesAndZeroedPagesAreNoticed) {
  std::mt19937_64 random(7);
  int num_damaged = 0;
  while (num_damaged < 1000) {
    const std::string damaged = mangled(whole_, random);
    if (whole_.starts_with(damaged) && (damaged.empty() || damaged.back() == '\n'))
      continue;  // an earlier journal
    ASSERT_TRUE(is_noticed(damaged)) << num_damaged;
    ++num_damaged;
  }
}

TEST_F(Corruption, LinesOfAnotherJournalAreNeverTakenByARepair) {
  const TemporaryFolder other;
  Journal foreign = Journal::open(other.path());
  for (int i = 0; i < 5; ++i) foreign.append("foreign " + std::to_string(i));
  const std::size_t middle = whole_.find('\n', whole_.size() / 2) + 1;
  std::ofstream(path_, std::ios::binary | std::ios::trunc)
      << whole_.substr(0, middle) + read_file(other.path("journal")) + whole_.substr(middle);
  const JournalRepair repair = Journal::repair(folder_.path());
  EXPECT_EQ(repair.num_lost,
            5u + 1u);  // and the line behind them, whose predecessor is not there any more
  for (const std::string& payload : journal_payloads(folder_.path()))
    EXPECT_EQ(payload.find("foreign"), std::string::npos);
}

TEST_F(Corruption, ARepairLosesAtMostTwoLinesAPlaceAndKeepsTheOriginal) {
  for (std::size_t byte = whole_.find('\n') + 1; byte + 1 < whole_.size(); byte += 41) {
    std::string damaged = whole_;
    damaged[byte] ^= 1;
    std::ofstream(path_, std::ios::binary | std::ios::trunc) << damaged;
    const JournalRepair repair = Journal::repair(folder_.path());
    ASSERT_LE(repair.num_lost, 2u) << byte;
    ASSERT_EQ(read_file(repair.original), damaged);
    ASSERT_EQ(journal_payloads(folder_.path()).size(), repair.num_kept);
    std::filesystem::remove(repair.original);
  }
}

TEST_F(Corruption, AJournalThatIsWholeIsNotRepaired) {
  EXPECT_EQ(Journal::repair(folder_.path()).original, "");
  EXPECT_EQ(read_file(path_), whole_);
}

TEST_F(Corruption, ADamagedFirstLineCannotBeRepaired) {
  std::ofstream(path_, std::ios::binary | std::ios::trunc) << "x" + whole_;
  EXPECT_THROW(Journal::repair(folder_.path()), DataError);
}

class DamagedRun : public ::testing::Test {
 protected:
  RunOutcome repair() {
    Progress progress(Progress::Style::silent);
    const auto open = [this] {
      return std::make_unique<testing::FakeEngines>(
          std::make_shared<testing::FakeEnginesState>(experiment_.engines()));
    };
    return run_experiment(plan_, {.folder = experiment_.folder("run"), .repair = true}, open,
                          progress);
  }

  const SmallExperiment experiment_{testing::memory_folder()};
  const Plan plan_ = experiment_.plan();
  const RunOutcome outcome_ = experiment_.run(plan_, "run");
  const std::string folder_ = experiment_.folder("run");
};

/// Lines that are not where they were in `before`.
std::size_t num_other_lines(const std::string& after, const std::string& before) {
  std::istringstream lines(after), lines_before(before);
  std::size_t number = 0;
  for (std::string line, line_before; std::getline(lines, line);)
    number += std::getline(lines_before, line_before) && line == line_before ? 0 : 1;
  return number;
}

/// What is measured anew is known by the slower drafter of the machine that repairs.
TEST_F(DamagedRun, IsRepairedToTheSameBytesWhereverItIsDamagedAndOnlyWhatWasLostIsMeasured) {
  const std::string journal = experiment_.file("run", "journal"),
                    rows = experiment_.file("run", "rows.csv"),
                    times = experiment_.file("run", "times.csv");
  experiment_.engines().draft_ns *= 2;
  std::size_t num_anew = 0;
  for (std::size_t byte = journal.find('\n') + 1; byte + 1 < journal.size();
       byte += journal.size() / 40) {
    std::string damaged = journal;
    damaged[byte] ^= 1;
    write_file(folder_ + "/journal", damaged);
    ASSERT_THROW(experiment_.run(plan_, "run"), DataError);
    ASSERT_EQ(repair(), RunOutcome::completed) << byte;
    const std::size_t anew = num_other_lines(experiment_.file("run", "times.csv"), times);
    ASSERT_LE(anew, 2u) << byte;
    num_anew += anew;
    ASSERT_EQ(experiment_.file("run", "rows.csv"), rows) << byte;
    ASSERT_EQ(experiment_.run(plan_, "run"), RunOutcome::was_complete);
  }
  EXPECT_GT(num_anew, 0u);
}

TEST_F(DamagedRun, AJournalThatLostLinesIsNotTakenForAnEarlierOne) {
  std::string journal = experiment_.file("run", "journal");
  const std::string rows = experiment_.file("run", "rows.csv");
  journal.erase(journal.rfind(" row ") - 16);  // the last generation and what follows
  write_file(folder_ + "/journal", journal);
  EXPECT_THROW(experiment_.run(plan_, "run"), DataError);
  EXPECT_EQ(experiment_.file("run", "rows.csv"), rows);
  EXPECT_EQ(repair(), RunOutcome::completed);
  EXPECT_EQ(experiment_.file("run", "rows.csv"), rows);
}

TEST_F(DamagedRun, ATableThatTheDigestsDoNotSpeakOfIsNoticed) {
  const std::string digests = experiment_.file("run", "SHA256SUMS");
  for (const std::string& shortened : {std::string(), digests.substr(0, digests.find('\n') + 1)}) {
    write_file(folder_ + "/SHA256SUMS", shortened);
    EXPECT_THROW(analysis::check_unchanged(folder_), DataError);
  }
}

TEST_F(DamagedRun, AFileThatWasEditedIsNoticedAndWrittenAgainByARepair) {
  for (const std::string name :
       {"rows.csv", "rounds.csv", "times.csv", "predictions.csv", "manifest.toml"}) {
    const std::string content = experiment_.file("run", name);
    std::string edited = content;
    edited[edited.size() - 2] = edited[edited.size() - 2] == '7' ? '8' : '7';
    write_file(folder_ + "/" + name, edited);
    EXPECT_THROW(analysis::check_unchanged(folder_), DataError) << name;
    EXPECT_THROW(experiment_.run(plan_, "run"), DataError) << name;
    EXPECT_EQ(repair(), RunOutcome::completed);
    EXPECT_EQ(experiment_.file("run", name), content);
  }
}

}  // namespace
}  // namespace speclab::experiments
