#pragma once
// The one file a run appends to; every CSV is made from it.

#include <cstdint>
#include <fstream>
#include <functional>
#include <string>
#include <string_view>

namespace speclab::experiments {

/// What a repair made of a journal.
struct JournalRepair {
  std::string
      original{};  ///< file that holds the damaged journal now; empty where nothing was damaged
  std::size_t num_kept = 0;  ///< lines
  std::size_t num_lost = 0;
};

/// Where a payload stands in its journal, in bytes.
struct JournalPlace {
  std::uint64_t begin = 0;
  std::uint32_t size = 0;
};

/// Lines "DIGEST PAYLOAD": sixteen hexadecimal digits over the digest of the first line, that of
/// the line before and the payload, so that a changed, lost, doubled or moved line is noticed, and
/// another journal's too. A payload is text without line breaks. Payloads stay in the file: a
/// journal that has one takes as much memory as its longest line.
class Journal {
 public:
  static constexpr std::size_t kDigestLength = 16;  ///< digits
  /// What becomes of a last line without its line feed, which was not finished: who holds the
  /// folder's lock cuts it off, others leave it, which its writer may be about to finish.
  enum class Tail : std::uint8_t { cut_off, left };
  /// Told of every payload in its order.
  using Visit = std::function<void(std::string_view payload, JournalPlace place)>;

  /// Opens the journal in `folder`, or begins an empty one in memory where there is none. An
  /// unfinished last line does not count.
  /// @throws DataError if a line with its line feed is damaged or above the longest, WriteError if
  /// the folder cannot be looked at or the
  ///         line not be cut off
  static Journal open(
      const std::string& folder, Tail tail = Tail::cut_off,
      const Visit& visit = [](std::string_view, JournalPlace) {});
  /// Puts a damaged journal aside, under a name of its own, and begins it again with the lines of
  /// this run that are whole: at most two go with every place that is damaged. A journal that is
  /// not damaged stays as it is.
  /// @throws DataError if its first line, by which the others are known, is damaged; WriteError
  static JournalRepair repair(const std::string& folder);
  /// A journal without a file, for what is measured and used at once.
  static Journal in_memory() { return Journal(""); }

  std::size_t num_payloads() const { return num_payloads_; }
  bool empty() const { return num_payloads_ == 0; }
  /// Bytes of an unfinished last line that were cut off.
  std::size_t num_bytes_cut() const { return num_bytes_cut_; }
  /// The payload is on the disk, if there is a file, when this returns. @throws WriteError; then
  /// the file holds what it held before, or an unfinished line more
  JournalPlace append(const std::string& payload);
  /// Writes the file anew: a line that a process before this one wrote may never have reached the
  /// disk, which only the failed sync of that process knew. @throws WriteError, DataError if it
  /// cannot be read
  void secure() const;

 private:
  friend class JournalReader;
  explicit Journal(std::string path) : path_(std::move(path)) {}
  JournalPlace add(std::string_view digest, std::string_view payload);
  void append_line(const std::string& line);
  /// The next line of the file, without its line feed.
  void accept(std::string_view line, const Visit& visit);
  void cut_off(std::uint64_t size);

  std::string path_;
  std::string first_digest_, last_digest_;
  std::string lines_;            ///< of a journal without a file
  std::uint64_t num_bytes_ = 0;  ///< of whole lines
  std::size_t num_payloads_ = 0;
  std::size_t num_bytes_cut_ = 0;
};

/// Reads payloads of a journal again. What the journal's file is when this is made is what is read.
class JournalReader {
 public:
  /// @throws DataError as open_input
  explicit JournalReader(const Journal& journal);
  /// @throws DataError if the file cannot be read there
  std::string payload(JournalPlace place);
  const std::string& path() const { return journal_.path_; }  ///< empty where it has no file

 private:
  const Journal& journal_;
  std::ifstream file_;
};

}  // namespace speclab::experiments
