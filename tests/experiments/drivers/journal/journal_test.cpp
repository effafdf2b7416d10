#include "experiments/drivers/journal/journal.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "sim/system/errors.h"
#include "sim/system/files.h"
#include "tests/engines/formats/temporary_folder.h"
#include "tests/experiments/drivers/support/journal_payloads.h"

namespace speclab::experiments {
namespace {

const std::vector<std::string> kPayloads{"first", "second payload", "{\"third\": 3}"};

std::string written_journal(const testing::TemporaryFolder& folder) {
  Journal journal = Journal::open(folder.path());
  for (const std::string& payload : kPayloads) journal.append(payload);
  return read_file(folder.path("journal"));
}

/// Without the sync of write_file: there are thousands.
void replace_journal(const testing::TemporaryFolder& folder, const std::string& content) {
  std::ofstream(folder.path("journal"), std::ios::binary | std::ios::trunc) << content;
}

TEST(Journal, KeepsWhatWasAppended) {
  const testing::TemporaryFolder folder;
  written_journal(folder);
  EXPECT_EQ(testing::journal_payloads(folder.path()), kPayloads);
}

TEST(Journal, ReadsEveryPayloadAgainFromItsPlace) {
  const testing::TemporaryFolder folder;
  for (const bool in_memory : {false, true}) {
    Journal journal = in_memory ? Journal::in_memory() : Journal::open(folder.path());
    std::vector<JournalPlace> places;
    for (const std::string& payload : kPayloads) places.push_back(journal.append(payload));
    JournalReader reader(journal);
    for (const std::size_t i : {2u, 0u, 1u}) EXPECT_EQ(reader.payload(places[i]), kPayloads[i]);
  }
}

TEST(Journal, SaysSoWhereAPayloadIsNotThereAnyMore) {
  const testing::TemporaryFolder folder;
  written_journal(folder);
  JournalPlace last;
  const Journal journal =
      Journal::open(folder.path(), Journal::Tail::left,
                    [&](std::string_view, JournalPlace place) { last = place; });
  std::filesystem::resize_file(folder.path("journal"), last.begin);
  EXPECT_THROW(JournalReader(journal).payload(last), DataError);
}

/// Longer than a block that is read at once, and line feeds at every place of its end.
TEST(Journal, LinesEndAnywhereInABlock) {
  for (const std::size_t size : {(1u << 20) - 19, (1u << 20) - 18, (1u << 20) - 17, 3u << 20}) {
    const testing::TemporaryFolder folder(testing::memory_folder());
    const std::vector<std::string> payloads{std::string(size, 'x'), "y", std::string(size, 'z')};
    Journal journal = Journal::open(folder.path());
    for (const std::string& payload : payloads) journal.append(payload);
    EXPECT_TRUE(testing::journal_payloads(folder.path()) == payloads) << size;
  }
}

TEST(Journal, WritesNothingUntilTheFirstAppend) {
  const testing::TemporaryFolder folder;
  EXPECT_TRUE(Journal::open(folder.path()).empty());
  EXPECT_FALSE(std::filesystem::exists(folder.path("journal")));
}

TEST(Journal, CutAtAnyByteItKeepsTheWholeLinesAndGoesOn) {
  const testing::TemporaryFolder folder;
  const std::string whole = written_journal(folder);
  for (std::size_t size = 0; size <= whole.size(); ++size) {
    replace_journal(folder, whole.substr(0, size));
    Journal journal = Journal::open(folder.path());
    const auto num_lines = static_cast<std::size_t>(
        std::count(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size), '\n'));
    ASSERT_EQ(journal.num_payloads(), num_lines) << size;
    for (std::size_t i = num_lines; i < kPayloads.size(); ++i) journal.append(kPayloads[i]);
    ASSERT_EQ(read_file(folder.path("journal")), whole) << size;
  }
}

/// A flip in the last line feed makes an unfinished line, which loses its entry and nothing else.
TEST(Journal, NoticesEveryFlippedBit) {
  const testing::TemporaryFolder folder;
  const std::string whole = written_journal(folder);
  for (std::size_t bit = 0; bit < 8 * (whole.size() - 1); ++bit) {
    std::string damaged = whole;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << bit % 8));
    replace_journal(folder, damaged);
    ASSERT_THROW(Journal::open(folder.path()), DataError) << bit;
    ASSERT_EQ(read_file(folder.path("journal")), damaged) << bit;
  }
}

TEST(Journal, SaysSoWhereItsFolderCannotBeLookedAt) {
  EXPECT_THROW(Journal::open("/tmp/" + std::string(300, 'j')), WriteError);
}

TEST(Journal, RefusesDamageAndLeavesTheFileAlone) {
  const testing::TemporaryFolder folder;
  std::string damaged = written_journal(folder);
  damaged[20] ^= 1;
  folder.file("journal", damaged);
  EXPECT_THROW(Journal::open(folder.path()), DataError);
  EXPECT_EQ(read_file(folder.path("journal")), damaged);
}

TEST(Journal, NoticesLostDoubledAndMovedLines) {
  const testing::TemporaryFolder folder;
  const std::string whole = written_journal(folder);
  const std::size_t first = whole.find('\n') + 1, second = whole.find('\n', first) + 1;
  const std::string a = whole.substr(0, first), b = whole.substr(first, second - first),
                    c = whole.substr(second);
  for (const std::string& lines : {b + c, a + c + c, a + a + b + c, b + a + c}) {
    folder.file("journal", lines);
    EXPECT_THROW(Journal::open(folder.path()), DataError) << lines;
  }
}

}  // namespace
}  // namespace speclab::experiments
