// Sweeps of levers, of modes and of bridges that are killed in every phase of a run, and gone on
// with until they end. Small models of the test make them short; SPECLAB_SWEEP_KILLS says how often
// the same sweeps of the default model are killed instead.

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <numeric>
#include <random>
#include <sstream>
#include <thread>

#include "sim/system/files.h"
#include "tests/experiments/program/tiny_models.h"
#include "tests/support/child_process.h"

namespace speclab {
namespace {

using testing::ChildProcess;
using testing::TinyModels;
using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

constexpr auto kLook = std::chrono::milliseconds(2);

/// How far a run has come, by its journal.
enum class Phase : std::uint8_t { start, pilots, costs, cells, report };
constexpr std::array<const char*, 5> kPhaseNames{"start", "pilots", "costs", "cells", "report"};
constexpr std::size_t kNumPhases = kPhaseNames.size();

/// Entries of a journal.
struct Entries {
  int headers = 0, pilots = 0, costs = 0, rows = 0;
};

Entries entries_of(const std::string& folder) {
  Entries entries;
  std::error_code none;
  if (!std::filesystem::exists(folder + "/journal", none)) return entries;
  std::istringstream lines(read_file(folder + "/journal"));
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string digest, kind;
    words >> digest >> kind;
    entries.headers += kind == "header";
    entries.pilots += kind == "pilot";
    entries.costs += kind == "costs";
    entries.rows += kind == "row";
  }
  return entries;
}

/// Looks at the journal of a run that grows.
class Watch {
 public:
  explicit Watch(const std::string& folder) : folder_(folder) {}

  const Entries& look() {
    std::error_code none;
    const std::uintmax_t size = std::filesystem::file_size(folder_ + "/journal", none);
    if (!none && size != size_) entries_ = entries_of(folder_);
    size_ = size;
    return entries_;
  }

 private:
  const std::string folder_;
  std::uintmax_t size_ = 0;
  Entries entries_;
};

/// @param whole  the entries of the run at its end
Phase phase_of(const Entries& now, const Entries& whole) {
  if (now.headers == 0) return Phase::start;
  if (now.pilots < whole.pilots) return Phase::pilots;
  if (now.costs == 0) return Phase::costs;
  return now.rows < whole.rows ? Phase::cells : Phase::report;
}

struct Sweep {
  std::string name;
  std::string config;
};

void PrintTo(const Sweep& sweep, std::ostream* out) { *out << sweep.name; }

/// A fixed length: the policy auto weighs measured costs, so that undisturbed runs differ too.
std::vector<Sweep> sweeps() {
  return {{"Levers", R"([axes]
drafter = ["none", "prompt_lookup"]
policy = "constant:3"
batch = [1, 2]
[[zip]]
weights = ["bfloat16", "q8"]
activations = ["exact", "int8"]
)"},
          {"Modes", R"([axes]
policy = "constant:3"
[[zip]]
generation = ["num_beams=2", "num_beams=2", "do_sample=true", "penalty_alpha=0.6;top_k=4"]
temperature = [0.0, 0.0, 1.0, 0.0]
drafter = ["none", "prompt_lookup", "prompt_lookup", "none"]
)"},
          {"Bridges", R"([axes]
temperature = [0.0, 1.0]
drafter = ["re_encode", "look_behind"]
policy = "constant:3"
[drafters.re_encode]
kind = "small_transformer"
model = "DRAFTER"
bridge = "re_encode"
[drafters.look_behind]
kind = "small_transformer"
model = "DRAFTER"
bridge = "look_behind"
)"}};
}

/// Zero: the sweeps are those of the small models.
int kills_of_default_model() {
  const char* number = std::getenv("SPECLAB_SWEEP_KILLS");
  return number ? std::stoi(number) : 0;
}

std::string config_of(const Sweep& sweep) {
  const bool is_small = kills_of_default_model() == 0;
  std::string axes = sweep.config;
  constexpr std::string_view kDrafter = "DRAFTER";
  for (std::size_t at = 0; (at = axes.find(kDrafter, at)) != std::string::npos;)
    axes.replace(at, kDrafter.size(), TinyModels::get().drafter());
  return fmt::format(R"([target]
model = "{}"
threads = 1
chat_template = "off"
[prompts]
set = "mine.jsonl"
per_category = 4
new_tokens = {}
[pilot]
per_category = 2
max_length = 3
[costs]
repetitions = 2
new_tokens = 16
rows = [1, 2, 4, 8]
{})",
                     is_small ? TinyModels::get().target() : "smollm2-135m", is_small ? 8 : 32,
                     axes);
}

class KilledSweeps : public ::testing::TestWithParam<Sweep> {
 protected:
  void SetUp() override {
    std::string prompts;
    for (const char* text : {"abc d1", "abc d2", "abc d3", "abc d4", "abc d5", "abc d6"})
      prompts += fmt::format("{{\"id\": \"{}\", \"prompt\": \"{} abc {}\"}}\n", text, text, text);
    folder_.file("mine.jsonl", prompts);
    folder_.file("sweep.toml", config_of(GetParam()));
  }

  std::string log() const { return read_file(folder_.path("log")); }

  ChildProcess start(const std::string& folder) const {
    const std::string config = folder_.path("sweep.toml"), log = folder_.path("log");
    return ChildProcess([&] {
      const int file = ::open(log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
      ::dup2(file, STDOUT_FILENO);
      ::dup2(file, STDERR_FILENO);
      ::execl(SPECLAB_PROGRAM, "speclab", "run", config.c_str(), "--yes", "--output",
              folder.c_str(), nullptr);
      return 127;
    });
  }

  /// Times a run that nothing disturbs, phase by phase.
  void run_undisturbed() {
    const std::string folder = folder_.path("whole");
    ChildProcess run = start(folder);
    Watch watch(folder);
    std::vector<std::pair<Entries, Clock::time_point>> seen;
    for (; !run.has_ended(); std::this_thread::sleep_for(kLook))
      seen.emplace_back(watch.look(), Clock::now());
    ASSERT_EQ(run.wait(), 0) << log();
    whole_ = entries_of(folder);
    for (std::size_t i = 1; i < seen.size(); ++i)
      seconds_.at(static_cast<std::size_t>(phase_of(seen[i].first, whole_))) +=
          Seconds(seen[i].second - seen[i - 1].second).count();
    files_ = files_of(folder);
  }

  /// Whatever is no time, byte by byte.
  static std::string files_of(const std::string& folder) {
    std::string files;
    for (const char* name : {"/rows.csv", "/rounds.csv", "/texts.jsonl"})
      files += read_file(folder + name);
    return files;
  }

  /// Kills the run at a random moment behind the beginning of a phase, of which the undisturbed run
  /// took as long. @returns whether it was killed before its end
  bool kill_in(Phase phase, const std::string& folder) {
    ChildProcess run = start(folder);
    Watch watch(folder);
    while (phase_of(watch.look(), whole_) < phase && !run.has_ended())
      std::this_thread::sleep_for(kLook);
    const double longest = seconds_.at(static_cast<std::size_t>(phase));
    std::this_thread::sleep_for(Seconds(std::uniform_real_distribution(0.0, longest)(random_)));
    run.signal(SIGKILL);
    const int code = run.wait();
    if (code == 0) return false;
    EXPECT_EQ(code, 128 + SIGKILL) << log();
    ++kills_.at(static_cast<std::size_t>(phase_of(entries_of(folder), whole_)));
    return true;
  }

  int num_kills() const { return std::accumulate(kills_.begin(), kills_.end(), 0); }

  /// A run that is killed once in every phase, or fewer times where none is wanted any more.
  void run_killed(const std::string& folder, int wanted) {
    for (std::size_t phase = 0; phase < kNumPhases && num_kills() < wanted; ++phase)
      if (!kill_in(static_cast<Phase>(phase), folder)) break;
    ASSERT_EQ(start(folder).wait(), 0) << log();
    EXPECT_TRUE(files_of(folder) == files_) << folder;
    EXPECT_NE(read_file(folder + "/report.html").find("</html>"), std::string::npos);
  }

  const testing::TemporaryFolder folder_;
  std::mt19937 random_{7};
  Entries whole_;
  std::string files_;
  std::array<double, kNumPhases> seconds_{};
  std::array<int, kNumPhases> kills_{};
};

/// Defect: a phase leaves something that the next process takes for whole, or measures again what
/// the tables have already.
TEST_P(KilledSweeps, GoOnWhereTheyStopped) {
  const int kills = kills_of_default_model(),
            wanted = kills > 0 ? kills : static_cast<int>(kNumPhases);
  run_undisturbed();
  for (int run = 0; num_kills() < wanted && !HasFailure(); ++run)
    run_killed(folder_.path(fmt::format("run{}", run)), wanted);
  for (std::size_t phase = 0; phase < kNumPhases; ++phase) {
    fmt::print("{}, {}: {} kills, {:.2f} s undisturbed\n", GetParam().name, kPhaseNames.at(phase),
               kills_.at(phase), seconds_.at(phase));
    if (kills > 0) {
      EXPECT_GT(kills_.at(phase), 0) << kPhaseNames.at(phase);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(, KilledSweeps, ::testing::ValuesIn(sweeps()),
                         [](const auto& named) { return named.param.name; });

}  // namespace
}  // namespace speclab
