// experiments/configs/acceptance_gate.toml on the default pair, in a small size: a drafter with
// noise in its weights is found.

#include <cstring>
#include <filesystem>

#include "sim/system/files.h"
#include "sim/system/versions.h"
#include "tests/engines/formats/temporary_folder.h"
#include "tests/experiments/program/program.h"

namespace speclab {
namespace {

using testing::Outcome;
using testing::run_program;
using testing::TemporaryFolder;

constexpr const char* kDrafter = SPECLAB_SOURCE_DIR "/results/models/smollm2-drafter";

/// Adds to the 16 bits of every weight (bfloat16, 7 bits of mantissa) a number in -reach to reach,
/// which changes it by up to reach / 128 of itself.
void add_noise(std::string& safetensors, int reach) {
  std::uint64_t header_bytes = 0;
  std::memcpy(&header_bytes, safetensors.data(), sizeof header_bytes);
  std::uint64_t state = 1;
  for (std::size_t at = 8 + header_bytes; at + 1 < safetensors.size(); at += 2) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    std::uint16_t bits = 0;
    std::memcpy(&bits, &safetensors[at], 2);
    const int magnitude = bits & 0x7fff;
    if (magnitude <= reach || magnitude + reach >= 0x7f00) continue;
    bits = static_cast<std::uint16_t>(
        bits + static_cast<int>((state >> 33) % static_cast<std::uint64_t>(2 * reach + 1)) - reach);
    std::memcpy(&safetensors[at], &bits, 2);
  }
}

std::string noisy_drafter(const TemporaryFolder& folder, int reach) {
  const std::string copy = folder.path("noisy");
  std::filesystem::copy(newest_version(kDrafter), copy);
  std::string weights = read_file(copy + "/model.safetensors");
  add_noise(weights, reach);
  write_file(copy + "/model.safetensors", weights);
  std::filesystem::remove(
      copy + "/manifest.json");  // which has the digest of the weights as they were trained
  return copy;
}

/// 8 prompts at temperature 0, 8 places each: enough for a p of 3e-4.
Outcome gate_run(const TemporaryFolder& folder, const std::string& name, const std::string& more) {
  return run_program(
      "run " SPECLAB_SOURCE_DIR
      "/experiments/configs/acceptance_gate.toml --no-report --set target.threads=1 --set "
      "'axes.temperature=[0.0]' --set 'prompts.categories=[\"chat\", \"mathematics\"]'"
      " --set prompts.per_category=4 --set prompts.new_tokens=8 --output " +
      folder.path(name) + " " + more + " 2>&1");
}

TEST(AcceptanceGate, FindsNoiseInTheDraftersWeightsAndNothingWhereNothingChanged) {
  const TemporaryFolder folder;
  for (const auto& [name, more] :
       {std::pair<std::string, std::string>("base", ""),
        {"again", ""},
        {"noisy_run", "--set drafters.gated.model=" + noisy_drafter(folder, 200)}}) {
    const Outcome run = gate_run(folder, name, more);
    ASSERT_EQ(run.code, 0) << run.output;
  }
  const Outcome same =
      run_program("compare " + folder.path("base") + " " + folder.path("again") + " 2>&1");
  EXPECT_EQ(same.code, 0) << same.output;
  EXPECT_NE(same.output.find("SAME: every count is what the base has"), std::string::npos)
      << same.output;
  const Outcome slow =
      run_program("compare " + folder.path("base") + " " + folder.path("noisy_run") + " 2>&1");
  EXPECT_EQ(slow.code, 10) << slow.output;
  EXPECT_NE(slow.output.find("drafter gated: "), std::string::npos) << slow.output;
}

}  // namespace
}  // namespace speclab
