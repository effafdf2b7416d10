#include "engines/cpu/thread_team.h"

#include <gtest/gtest.h>

#include <array>
#include <stdexcept>

namespace speclab::engines::cpu {
namespace {

class Teams : public ::testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(, Teams, ::testing::Values(1, 2, 5),
                         [](const auto& size) { return std::to_string(size.param); });

TEST_P(Teams, TakeEveryPartOnceBetweenTwoBarriers) {
  constexpr int kParts = 100, kIntervals = 20, kRuns = 3;
  ThreadTeam team(GetParam());
  std::array<std::array<std::atomic<int>, kParts>, kIntervals> taken{};
  for (int run = 0; run < kRuns; ++run) {
    team.run([&](int) {
      for (auto& parts : taken) {
        for (int part; (part = team.take()) < kParts;) ++parts[static_cast<std::size_t>(part)];
        team.barrier();
      }
      team.take();  // left over: the next run must begin at 0 all the same
    });
  }
  for (const auto& parts : taken)
    for (const auto& times : parts) EXPECT_EQ(times, kRuns);
}

// Catches a part that two threads take or none, a call that returns before a part is done, and a
// thread of an earlier call that takes a part of a later one.
TEST_P(Teams, DoEveryPartOnceBeforeTheCallReturns) {
  constexpr int kCalls = 2000;
  ThreadTeam team(GetParam());
  for (int call = 0; call < kCalls; ++call) {
    const int count = call % 12;
    std::array<int, 12> done{};
    team.run_parts(count, [&](int part) { done[static_cast<std::size_t>(part)] += call + 1; });
    for (int part = 0; part < 12; ++part)
      ASSERT_EQ(done[static_cast<std::size_t>(part)], part < count ? call + 1 : 0) << call;
    if (call % 100 == 0) team.run([](int) {});
  }
}

TEST_P(Teams, GiveTheExceptionOfAThreadToTheCallerAndGoOn) {
  ThreadTeam team(GetParam());
  const int last = GetParam() - 1;
  EXPECT_THROW(team.run([&](int rank) {
    if (rank == last) throw std::runtime_error("one");
  }),
               std::runtime_error);
  std::atomic<int> calls = 0;
  team.run([&](int) { ++calls; });
  EXPECT_EQ(calls, GetParam());
}

}  // namespace
}  // namespace speclab::engines::cpu
