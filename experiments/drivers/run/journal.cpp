#include "experiments/drivers/run/journal.h"

#include <fmt/format.h>

#include <filesystem>

#include "sim/core/errors.h"
#include "sim/core/files.h"
#include "sim/core/sha256.h"

namespace speclab::experiments {
namespace {

constexpr std::size_t kDigestLength = 16;

std::string digest_of(const std::string& previous, const std::string& payload) {
  return sha256_text(previous + payload).substr(0, kDigestLength);
}

bool is_intact(const std::string& line, const std::string& previous) {
  return line.size() > kDigestLength && line[kDigestLength] == ' ' && line.substr(0, kDigestLength) == digest_of(previous, line.substr(kDigestLength + 1));
}

bool is_there(const std::string& path) {
  std::error_code error;
  const bool there = std::filesystem::exists(path, error);
  if (error) throw WriteError(fmt::format("{}: {}; choose another folder", escaped(path, 200), error.message()));
  return there;
}

}  // namespace

Journal Journal::open(const std::string& folder) {
  Journal journal(folder + "/journal");
  if (!is_there(journal.path_)) return journal;
  const std::string content = read_file(journal.path_);
  std::size_t begin = 0;
  for (std::size_t end; (end = content.find('\n', begin)) != std::string::npos; begin = end + 1) journal.accept(content.substr(begin, end - begin), begin);
  journal.cut_off(begin, content.size());
  return journal;
}

void Journal::accept(const std::string& line, std::size_t begin) {
  if (!is_intact(line, last_digest_))
    throw DataError(fmt::format("{}: line {} (byte {}) is damaged; nothing from it on can be trusted: put the file back from a copy, or begin again in another folder",
                                path_, payloads_.size() + 1, begin));
  last_digest_ = line.substr(0, kDigestLength);
  payloads_.push_back(line.substr(kDigestLength + 1));
}

void Journal::cut_off(std::size_t begin, std::size_t size) {
  num_bytes_cut_ = size - begin;
  if (num_bytes_cut_ == 0) return;
  std::error_code error;
  std::filesystem::resize_file(path_, begin, error);
  if (error) throw WriteError(fmt::format("{}: cannot cut off the unfinished last line: {}", path_, error.message()));
}

void Journal::append(const std::string& payload) {
  SPECLAB_EXPECT(payload.find('\n') == std::string::npos, "a payload is one line");
  const std::string digest = digest_of(last_digest_, payload);
  if (!path_.empty()) append_line(digest + " " + payload + "\n");
  last_digest_ = digest;
  payloads_.push_back(payload);
}

void Journal::secure() const {
  if (!path_.empty()) write_file(path_, read_file(path_));
}

void Journal::append_line(const std::string& line) const {
  if (!is_there(path_)) write_file(path_, "");
  append_file(path_, line);
}

}  // namespace speclab::experiments
