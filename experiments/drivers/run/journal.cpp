#include "experiments/drivers/run/journal.h"

#include <fmt/format.h>

#include <filesystem>

#include "sim/core/errors.h"
#include "sim/core/files.h"
#include "sim/core/sha256.h"

namespace speclab::experiments {
namespace {

constexpr std::size_t kDigestLength = 16;

/// What a line's digest is made from, beside its payload.
struct Chain {
  std::string first, previous;  ///< digests; empty for the first line

  std::string digest_of(const std::string& payload) const { return sha256_text(first + previous + payload).substr(0, kDigestLength); }
};

std::string digest_in(const std::string& line) { return line.substr(0, kDigestLength); }
std::string payload_in(const std::string& line) { return line.substr(kDigestLength + 1); }

bool is_intact(const std::string& line, const Chain& chain) {
  return line.size() > kDigestLength && line[kDigestLength] == ' ' && digest_in(line) == chain.digest_of(payload_in(line));
}

/// Lines that end with a line feed, and the byte behind the last.
std::pair<std::vector<std::string>, std::size_t> whole_lines(const std::string& content) {
  std::vector<std::string> lines;
  std::size_t begin = 0;
  for (std::size_t end; (end = content.find('\n', begin)) != std::string::npos; begin = end + 1) lines.push_back(content.substr(begin, end - begin));
  return {std::move(lines), begin};
}

bool is_there(const std::string& path) {
  std::error_code error;
  const bool there = std::filesystem::exists(path, error);
  if (error) throw WriteError(fmt::format("{}: {}; choose another folder", escaped(path, 200), error.message()));
  return there;
}

/// A copy of the file under the first free of the names path.damaged-1, -2, ...
std::string put_aside(const std::string& path) {
  int number = 1;
  while (is_there(fmt::format("{}.damaged-{}", path, number))) ++number;
  std::string aside = fmt::format("{}.damaged-{}", path, number);
  write_file(aside, read_file(path));
  return aside;
}

}  // namespace

Journal Journal::open(const std::string& folder, Tail tail) {
  Journal journal(folder + "/journal");
  if (!is_there(journal.path_)) return journal;
  const std::string content = read_file(journal.path_);
  const auto [lines, end] = whole_lines(content);
  std::size_t begin = 0;
  for (const std::string& line : lines) {
    journal.accept(line, begin);
    begin += line.size() + 1;
  }
  if (tail == Tail::cut_off) journal.cut_off(end, content.size());
  return journal;
}

void Journal::accept(const std::string& line, std::size_t begin) {
  if (!is_intact(line, {first_digest_, last_digest_}))
    throw DataError(fmt::format("{}: line {} (byte {}) is damaged; `speclab run --repair` keeps this file aside and measures anew what the damaged lines held",
                                path_, payloads_.size() + 1, begin));
  add(digest_in(line), payload_in(line));
}

void Journal::add(const std::string& digest, const std::string& payload) {
  if (payloads_.empty()) first_digest_ = digest;
  last_digest_ = digest;
  payloads_.push_back(payload);
}

JournalRepair Journal::repair(const std::string& folder) {
  const std::string path = folder + "/journal";
  if (!is_there(path)) return {};
  const std::vector<std::string> lines = whole_lines(read_file(path)).first;
  std::vector<std::string> kept;
  for (std::size_t i = 0; i < lines.size(); ++i)
    if (is_intact(lines[i], i == 0 ? Chain{} : Chain{digest_in(lines[0]), digest_in(lines[i - 1])})) kept.push_back(payload_in(lines[i]));
    else if (i == 0) throw DataError(fmt::format("{}: its first line is damaged, by which the others are known: put the file back from a copy, or begin again in another folder", path));
  if (kept.size() == lines.size()) return {.original = "", .num_kept = kept.size(), .num_lost = 0};
  Journal whole = in_memory();
  std::string content;
  for (const std::string& payload : kept) {
    whole.append(payload);
    content += whole.last_digest_ + " " + payload + "\n";
  }
  const std::string original = put_aside(path);
  write_file(path, content);
  return {.original = original, .num_kept = kept.size(), .num_lost = lines.size() - kept.size()};
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
  const std::string digest = Chain{first_digest_, last_digest_}.digest_of(payload);
  if (!path_.empty()) append_line(digest + " " + payload + "\n");
  add(digest, payload);
}

void Journal::secure() const {
  if (!path_.empty()) write_file(path_, read_file(path_));
}

void Journal::append_line(const std::string& line) const {
  if (payloads_.empty() && !is_there(path_)) write_file(path_, "");
  append_file(path_, line);
}

}  // namespace speclab::experiments
