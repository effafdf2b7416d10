// The thread that reads weights: its order, its bytes, and what it has read before it is asked.

#include "engines/cpu/weight_stream.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <future>
#include <random>

#include "sim/system/errors.h"
#include "tests/engines/formats/temporary_folder.h"

namespace speclab::engines::cpu {
namespace {

constexpr std::int64_t kPieceBytes = 5 << 20;  ///< more than one request reads

/// A file of three pieces of random bytes.
class WeightStreamTest : public ::testing::Test {
 protected:
  WeightStreamTest() {
    std::string content(3 * kPieceBytes, '\0');
    std::mt19937 random(1);
    for (std::size_t at = 0; at < content.size(); at += sizeof(std::uint32_t)) {
      const auto word = static_cast<std::uint32_t>(random());
      std::memcpy(&content[at], &word, sizeof word);
    }
    file_ = std::make_unique<InputFile>(folder_.file("weights", content));
    for (std::int64_t piece = 0; piece < 3; ++piece) {
      const RowPlaces rows{.row_bytes = kPieceBytes,
                           .tensors = {{file_.get(), {nullptr, 0, 3 * kPieceBytes}}},
                           .rows = {piece}};
      pieces_.emplace_back(std::span(&rows, 1));
    }
    content_ = std::move(content);
  }

  /// Whether the stream's buffer holds this piece of the file.
  bool holds(const WeightStream& stream, int piece) const {
    const auto* bytes = reinterpret_cast<const char*>(stream.data(piece));
    return std::equal(bytes, bytes + kPieceBytes, content_.begin() + piece * kPieceBytes);
  }

  speclab::testing::TemporaryFolder folder_;
  std::string content_;
  std::unique_ptr<InputFile> file_;
  std::vector<StreamPiece> pieces_;
};

/// Defect: a piece is read at its first request alone, or at another piece's place.
TEST_F(WeightStreamTest, GivesEveryPieceInEveryRound) {
  WeightStream stream(pieces_);
  for (int round = 0; round < 2; ++round) {
    stream.begin();
    for (int piece = 0; piece < stream.num_pieces(); ++piece) {
      stream.wait(piece);
      EXPECT_TRUE(holds(stream, piece)) << piece << " in round " << round;
      stream.done(piece);
    }
    stream.finish();
  }
}

/// Defect: a file that changes while its weights stream is read on.
TEST_F(WeightStreamTest, EndsWithAnErrorOnceTheFileHasChanged) {
  WeightStream stream(pieces_);
  const auto pass = [&] {
    stream.begin();
    stream.finish();
  };
  EXPECT_NO_THROW(pass());
  const auto time = std::filesystem::last_write_time(file_->path());
  std::fstream(file_->path(), std::ios::in | std::ios::out | std::ios::binary).put('x');
  std::filesystem::last_write_time(file_->path(), time + std::chrono::seconds(1));
  // Pieces that were read before the change may serve one pass more.
  EXPECT_THROW((pass(), pass()), ModelFileError);
  EXPECT_THROW(pass(), ModelFileError);
}

/// Defect: nothing is read while a piece is used, so that the disk waits for the products.
TEST_F(WeightStreamTest, ReadsThePieceBehindTheOneInUse) {
  WeightStream stream(pieces_);
  stream.begin();
  stream.wait(0);
  auto next = std::async(std::launch::async, [&] { stream.wait(1); });
  const bool is_there = next.wait_for(std::chrono::seconds(10)) == std::future_status::ready;
  EXPECT_TRUE(is_there) << "piece 1 waits until piece 0 is done";
  EXPECT_TRUE(!is_there || holds(stream, 1));
  EXPECT_TRUE(holds(stream, 0)) << "it is still in use";
  stream.done(0);
  next.wait();
  stream.finish();
}

}  // namespace
}  // namespace speclab::engines::cpu
