#pragma once
// Fuzz targets of what experiments read: configs, journals, rows.

#include <string>

namespace speclab::fuzz {

/// The syntax of a config, and a setting put over it.
void read_config(const std::string& bytes);
/// A whole config, of a run and of a training: every key, the rules between them, its cells.
void read_experiment(const std::string& bytes);
void read_journal(const std::string& bytes);
/// The files of a run folder, in the order of kRunFiles with a zero byte between them, beside a
/// good manifest.
void read_run_folder(const std::string& bytes);
/// One CSV file, given to every reader of such.
void read_tables(const std::string& bytes);

}  // namespace speclab::fuzz
