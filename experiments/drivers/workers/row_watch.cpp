#include "experiments/drivers/workers/row_watch.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "experiments/drivers/journal/journal.h"

namespace speclab::experiments {

std::size_t RowWatch::num_new() {
  std::size_t rows = num_new_in(folder_ + "/journal");
  std::error_code none;
  for (const auto& shard : std::filesystem::directory_iterator(folder_ + "/shards", none))
    rows += num_new_in((shard.path() / "journal").string());
  return rows;
}

std::size_t RowWatch::num_new_in(const std::string& journal) {
  std::error_code none;
  std::uintmax_t& end = ends_[journal];
  const std::uintmax_t size = std::filesystem::file_size(journal, none);
  if (none) return 0;
  if (size < end) end = 0;
  std::ifstream file(journal, std::ios::binary);
  file.seekg(static_cast<std::streamoff>(end));
  std::size_t rows = 0;
  for (std::string line; std::getline(file, line) && !file.eof(); end += line.size() + 1)
    rows += line.substr(std::min(line.size(), Journal::kDigestLength), 5) == " row " ? 1 : 0;
  return rows;
}

}  // namespace speclab::experiments
