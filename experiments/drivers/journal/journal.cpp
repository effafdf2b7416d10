#include "experiments/drivers/journal/journal.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <optional>
#include <span>
#include <string_view>

#include "sim/system/errors.h"
#include "sim/system/files.h"
#include "sim/system/sha256.h"

namespace speclab::experiments {
namespace {

constexpr std::size_t kDigestLength = Journal::kDigestLength;

/// Reads a file line by line, in blocks; a last line without its line feed is none.
class WholeLines {
 public:
  /// @throws DataError as open_input
  explicit WholeLines(const std::string& path);
  /// The next line without its line feed, until next() is called again. @throws DataError if it
  /// cannot be read, or is above kLargestFileRead
  std::optional<std::string_view> next();
  /// Read so far; of the whole file where next() has said that there is no more.
  std::uint64_t num_bytes() const { return num_bytes_; }

 private:
  bool read_block();

  std::string path_;
  std::ifstream file_;
  std::string buffer_;
  std::uint64_t num_bytes_ = 0;
  std::size_t begin_ = 0,
              searched_ = 0;  ///< of the next line, and how far it has no line feed; in the buffer
};

constexpr std::size_t kBlockBytes = 1 << 20;

WholeLines::WholeLines(const std::string& path) : path_(path), file_(open_input(path)) {}

std::optional<std::string_view> WholeLines::next() {
  std::size_t end;
  while ((end = buffer_.find('\n', searched_)) == std::string::npos)
    if (!read_block()) return std::nullopt;
  const std::string_view line = std::string_view(buffer_).substr(begin_, end - begin_);
  begin_ = searched_ = end + 1;
  return line;
}

bool WholeLines::read_block() {
  buffer_.erase(0, begin_);
  begin_ = 0;
  searched_ = buffer_.size();
  if (buffer_.size() > kLargestFileRead)
    throw DataError(fmt::format("{}: has a line above {} bytes; is it the file that was meant?",
                                path_, kLargestFileRead));
  buffer_.resize(searched_ + kBlockBytes);
  file_.read(buffer_.data() + searched_, kBlockBytes);
  buffer_.resize(searched_ + static_cast<std::size_t>(file_.gcount()));
  num_bytes_ += static_cast<std::uint64_t>(file_.gcount());
  if (file_.bad()) throw DataError(fmt::format("{}: cannot read: {}", path_, std::strerror(errno)));
  return file_.gcount() > 0;
}

/// What a line's digest is made from, beside its payload.
struct Chain {
  std::string_view first, previous;  ///< digests; empty for the first line

  std::string digest_of(std::string_view payload) const {
    Sha256 digest;
    for (const std::string_view text : {first, previous, payload})
      digest.update(std::as_bytes(std::span(text)));
    return digest.finish().substr(0, kDigestLength);
  }
};

std::string_view digest_in(std::string_view line) { return line.substr(0, kDigestLength); }
std::string_view payload_in(std::string_view line) { return line.substr(kDigestLength + 1); }

bool is_intact(std::string_view line, const Chain& chain) {
  return line.size() > kDigestLength && line[kDigestLength] == ' ' &&
         digest_in(line) == chain.digest_of(payload_in(line));
}

bool is_there(const std::string& path) {
  std::error_code error;
  const bool there = std::filesystem::exists(path, error);
  if (error)
    throw WriteError(
        fmt::format("{}: {}; choose another folder", escaped(path, 200), error.message()));
  return there;
}

/// A copy of the file under the first free of the names path.damaged-1, -2, ...
std::string put_aside(const std::string& path) {
  int number = 1;
  while (is_there(fmt::format("{}.damaged-{}", path, number))) ++number;
  std::string aside = fmt::format("{}.damaged-{}", path, number);
  copy_file(path, aside);
  return aside;
}

}  // namespace

Journal Journal::open(const std::string& folder, Tail tail, const Visit& visit) {
  Journal journal(folder + "/journal");
  if (!is_there(journal.path_)) return journal;
  WholeLines lines(journal.path_);
  while (const auto line = lines.next()) journal.accept(*line, visit);
  if (tail == Tail::cut_off) journal.cut_off(lines.num_bytes());
  return journal;
}

void Journal::accept(std::string_view line, const Visit& visit) {
  if (!is_intact(line, {first_digest_, last_digest_}))
    throw DataError(
        fmt::format("{}: line {} (byte {}) is damaged; `speclab run --repair` moves this file "
                    "aside and measures the damaged lines again",
                    path_, num_payloads_ + 1, num_bytes_));
  visit(payload_in(line), add(digest_in(line), payload_in(line)));
}

JournalPlace Journal::add(std::string_view digest, std::string_view payload) {
  if (empty()) first_digest_ = digest;
  last_digest_ = digest;
  ++num_payloads_;
  const std::uint64_t begin = num_bytes_ + kDigestLength + 1;
  num_bytes_ = begin + payload.size() + 1;
  return {begin, static_cast<std::uint32_t>(payload.size())};
}

JournalRepair Journal::repair(const std::string& folder) {
  const std::string path = folder + "/journal";
  if (!is_there(path)) return {};
  Journal whole = in_memory();
  std::string first, previous;
  std::size_t num_lines = 0;
  WholeLines lines(path);
  for (std::optional<std::string_view> line; (line = lines.next()); ++num_lines) {
    if (is_intact(*line, {first, previous}))
      whole.append(std::string(payload_in(*line)));
    else if (num_lines == 0)
      throw DataError(
          fmt::format("{}: its first line is damaged, and the others cannot be read without it: "
                      "restore the file from a copy, or begin again in another folder",
                      path));
    previous = digest_in(*line);
    if (num_lines == 0) first = previous;
  }
  if (whole.num_payloads_ == num_lines)
    return {.original = "", .num_kept = num_lines, .num_lost = 0};
  const std::string original = put_aside(path);
  write_file(path, whole.lines_);
  return {.original = original,
          .num_kept = whole.num_payloads_,
          .num_lost = num_lines - whole.num_payloads_};
}

void Journal::cut_off(std::uint64_t size) {
  num_bytes_cut_ = size - num_bytes_;
  if (num_bytes_cut_ == 0) return;
  std::error_code error;
  std::filesystem::resize_file(path_, num_bytes_, error);
  if (error)
    throw WriteError(
        fmt::format("{}: cannot cut off the unfinished last line: {}", path_, error.message()));
}

JournalPlace Journal::append(const std::string& payload) {
  SPECLAB_EXPECT(payload.find('\n') == std::string::npos, "a payload is one line");
  SPECLAB_EXPECT(payload.size() + kDigestLength < kLargestFileRead, "a line can be read again");
  const std::string digest = Chain{first_digest_, last_digest_}.digest_of(payload);
  append_line(digest + " " + payload + "\n");
  return add(digest, payload);
}

void Journal::append_line(const std::string& line) {
  if (path_.empty()) {
    lines_ += line;
    return;
  }
  if (empty() && !is_there(path_)) write_file(path_, "");
  append_file(path_, line);
}

void Journal::secure() const {
  if (!path_.empty()) copy_file(path_, path_);
}

JournalReader::JournalReader(const Journal& journal) : journal_(journal) {
  if (!journal.path_.empty() && !journal.empty()) file_ = open_input(journal.path_);
}

std::string JournalReader::payload(JournalPlace place) {
  if (journal_.path_.empty()) return journal_.lines_.substr(place.begin, place.size);
  std::string text(place.size, '\0');
  if (!file_.seekg(static_cast<std::streamoff>(place.begin)) ||
      !file_.read(text.data(), place.size))
    throw DataError(fmt::format("{}: cannot read the {} bytes at {}; was the file changed?",
                                journal_.path_, place.size, place.begin));
  return text;
}

}  // namespace speclab::experiments
