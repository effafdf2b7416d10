#include "experiments/drivers/run/journal.h"

#include <fmt/format.h>

#include <filesystem>

#include "engines/formats/sha256.h"
#include "sim/core/errors.h"
#include "sim/core/files.h"

namespace speclab::experiments {
namespace {

constexpr std::size_t kDigestLength = 16;

std::string digest_of(const std::string& previous, const std::string& payload) {
  return engines::sha256_text(previous + payload).substr(0, kDigestLength);
}

/// The payload of a line without its end, or nothing if the digest does not fit.
bool is_intact(const std::string& line, const std::string& previous) {
  return line.size() > kDigestLength && line[kDigestLength] == ' ' && line.substr(0, kDigestLength) == digest_of(previous, line.substr(kDigestLength + 1));
}

}  // namespace

Journal Journal::open(const std::string& folder) {
  Journal journal(folder + "/journal");
  if (!std::filesystem::exists(journal.path_)) return journal;
  const std::string content = read_file(journal.path_);
  std::size_t begin = 0;
  while (begin < content.size()) {
    const std::size_t end = content.find('\n', begin);
    const std::string line = content.substr(begin, end - begin);
    if (end == std::string::npos || !is_intact(line, journal.last_digest_)) break;
    journal.last_digest_ = line.substr(0, kDigestLength);
    journal.payloads_.push_back(line.substr(kDigestLength + 1));
    begin = end + 1;
  }
  journal.num_bytes_cut_ = content.size() - begin;
  const std::size_t next_line = content.find('\n', begin);
  if (next_line != std::string::npos && next_line + 1 < content.size())
    throw DataError(fmt::format("{}: line {} (byte {}) is damaged; nothing after it can be trusted: put the file back from a copy, or begin again in another folder",
                                journal.path_, journal.payloads_.size() + 1, begin));
  if (journal.num_bytes_cut_ > 0) {
    std::error_code error;
    std::filesystem::resize_file(journal.path_, begin, error);
    if (error) throw WriteError(fmt::format("{}: cannot cut off the unfinished last line: {}", journal.path_, error.message()));
  }
  return journal;
}

void Journal::append(const std::string& payload) {
  SPECLAB_EXPECT(payload.find('\n') == std::string::npos, "a payload is one line");
  const std::string digest = digest_of(last_digest_, payload);
  if (!path_.empty()) append_line(digest + " " + payload + "\n");
  last_digest_ = digest;
  payloads_.push_back(payload);
}

void Journal::append_line(const std::string& line) const {
  if (!std::filesystem::exists(path_)) write_file(path_, "");
  append_file(path_, line);
}

}  // namespace speclab::experiments
