#include "tests/fuzz/experiment_targets.h"

#include <fstream>
#include <optional>

#include "analysis/tables/acceptance.h"
#include "analysis/tables/atlas.h"
#include "analysis/tables/bench_rows.h"
#include "analysis/tables/bridges.h"
#include "analysis/tables/costs.h"
#include "analysis/tables/device_state.h"
#include "analysis/tables/run_folder.h"
#include "analysis/tables/siblings.h"
#include "analysis/tables/trace.h"
#include "experiments/drivers/config/run_config.h"
#include "experiments/drivers/config/train_config.h"
#include "experiments/drivers/journal/entry_json.h"
#include "experiments/drivers/journal/journal.h"
#include "experiments/drivers/toml/config_file.h"
#include "sim/system/errors.h"
#include "tests/engines/formats/temporary_folder.h"
#include "tests/fuzz/seeds.h"
#include "tests/fuzz/targets.h"

namespace speclab::fuzz {

using namespace experiments;
using speclab::testing::TemporaryFolder;

void read_config(const std::string& bytes) try {
  opening_comment(bytes);
  ConfigNode root = parse_config(bytes, "config.toml");
  root.text();
  set_config_value(root, "axes.temperature=[0.5]");
} catch (const ConfigError&) {
}

namespace {

void read_whole_run_config(const std::string& path) try {
  const RunConfig config = read_run_config(path, {});
  const TemporaryFolder folder(speclab::testing::memory_folder());
  const std::string text = to_toml(config);
  require(to_toml(read_run_config(folder.file("again.toml", text), {})) == text,
          "a config that was written is read as the same");
  const Sweep sweep(config);
  if (sweep.product_size() > 1000) return;
  for (const Setting& point : sweep.product()) sweep.holds(point);
} catch (const ConfigError&) {
}

}  // namespace

void read_experiment(const std::string& bytes) {
  static const TemporaryFolder folder(speclab::testing::memory_folder());
  const std::string path = folder.file("config.toml", bytes);
  read_whole_run_config(path);
  try {
    read_train_config(path);
  } catch (const ConfigError&) {
  }
}

namespace {

/// What was read is read again from what is written of it.
template <typename Entry>
void read_entry(const Json& json, Entry (*read)(const Json&)) {
  std::optional<Entry> entry;
  try {
    entry = read(json);
  } catch (const DataError&) {
    return;
  }
  const Json written = to_json(*entry);
  require(to_json(read(written)) == written, "an entry that was written is read as the same");
}

void read_entries(const Json& json) {
  read_entry(json, row_entry);
  read_entry(json, failure_entry);
  read_entry(json, pilot_entry);
  read_entry(json, pace_entry);
  read_entry(json, cost_entry);
  read_entry(json, prediction_entry);
}

}  // namespace

void read_journal(const std::string& bytes) try {
  static const TemporaryFolder folder(speclab::testing::memory_folder());
  std::ofstream(folder.path("journal"), std::ios::binary) << bytes;
  try {
    read_entries(entry_json(entry_line(bytes)));
  } catch (const DataError&) {
  }
  const Journal journal = Journal::open(folder.path());
  require(journal.num_bytes_cut() <= bytes.size(), "no more cut than there was");
} catch (const DataError&) {
}

void read_run_folder(const std::string& bytes) try {
  static const TemporaryFolder folder(speclab::testing::memory_folder());
  static const std::string manifest = folder.file("manifest.toml", run_manifest());
  std::size_t begin = 0;
  for (const char* name : kRunFiles) {
    const std::size_t end = std::min(bytes.find('\0', begin), bytes.size());
    folder.file(name, bytes.substr(begin, end - begin));
    begin = std::min(end + 1, bytes.size());
  }
  const analysis::Run run = analysis::read_run(folder.path());
  for (const analysis::Generation& generation : run.generations)
    require(generation.drafting_rounds <= generation.rounds &&
                generation.accepted <= generation.drafted,
            "sums that can be");
} catch (const DataError&) {
}

void read_tables(const std::string& bytes) {
  static const TemporaryFolder folder(speclab::testing::memory_folder());
  const std::string path = folder.file("table.csv", bytes);
  static constexpr void (*readers[])(const std::string&) = {
      [](const std::string& file) { analysis::read_acceptance(file); },
      [](const std::string& file) { analysis::read_atlas(file); },
      [](const std::string& file) { analysis::read_bench_pairs(file); },
      [](const std::string& file) { analysis::read_bench_counts(file); },
      [](const std::string& file) { analysis::read_bridges(file); },
      [](const std::string& file) { analysis::read_costs(file); },
      [](const std::string& file) { analysis::pace_table().read(file); },
      [](const std::string& file) { analysis::device_table().read(file); },
      [](const std::string& file) { analysis::read_siblings(file); },
      [](const std::string& file) { analysis::read_trace(file, {}, [](const auto&) {}); }};
  for (const auto read : readers) {
    try {
      read(path);
    } catch (const DataError&) {
    }
  }
}

}  // namespace speclab::fuzz
