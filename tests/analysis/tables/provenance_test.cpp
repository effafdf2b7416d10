// Without every entry that says where rows are from a manifest is refused, whatever the kind of its
// experiment.

#include <gtest/gtest.h>

#include <array>

#include "analysis/tables/manifest.h"
#include "sim/system/errors.h"
#include "sim/system/files.h"
#include "tests/analysis/support/synthetic_run.h"

namespace speclab::analysis {
namespace {

constexpr std::array kOrigin{"revision", "build_type",    "flags",          "compiler",
                             "libtorch", "blas",          "machine",        "governor",
                             "threads",  "device",        "driver",         "kernels",
                             "dtype",    "config_sha256", "prompts_sha256", "seed"};
constexpr std::array kOriginOfTarget{"name", "role", "sha256", "parameters", "weights"};

/// Without the first line below `table` that gives the key.
std::string without_key(const std::string& manifest, const std::string& table,
                        const std::string& key) {
  const std::size_t begin = manifest.find("\n" + key + " = ", manifest.find(table));
  if (begin == std::string::npos) throw ContractError("the manifest has no " + key);
  std::string without = manifest;
  return without.erase(begin, manifest.find('\n', begin + 1) - begin);
}

std::string manifest_error(const std::string& manifest) {
  const testing::ScratchFolder scratch;
  write_file(scratch.file("manifest.toml"), manifest);
  try {
    read_manifest(scratch.file("manifest.toml"));
  } catch (const DataError& error) {
    return error.what();
  }
  return "no error";
}

/// Each entry that says where rows are from is left out once.
void expect_refused_without_origin(const std::string& manifest) {
  EXPECT_EQ(manifest_error(manifest), "no error");
  const auto expect_missing = [&](const std::string& table, const std::string& key,
                                  const std::string& name) {
    const std::string error = manifest_error(without_key(manifest, table, key));
    EXPECT_NE(error.find("provenance." + name + " is missing"), std::string::npos)
        << name << ": " << error;
  };
  for (const std::string key : kOrigin) expect_missing("[provenance]", key, key);
  for (const std::string key : kOriginOfTarget)
    expect_missing("[[provenance.models]]", key, "models." + key);
}

TEST(Provenance, OfEveryKindIsWholeOrItsRunIsNotRead) {
  const testing::ScratchFolder surface;
  testing::write_synthetic_run({.kind = "cost_surface", .temperatures = {0.0}}, surface.path());
  expect_refused_without_origin(read_file(surface.file("manifest.toml")));
  for (const std::string run : {"quickstart", "rule_atlas", "drafter_acceptance"})
    expect_refused_without_origin(
        read_file(SPECLAB_SOURCE_DIR "/tests/golden/runs/" + run + "/manifest.toml"));
}

}  // namespace
}  // namespace speclab::analysis
