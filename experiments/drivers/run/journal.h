#pragma once
// The one file a run appends to; every CSV is made from it.

#include <cstdint>
#include <string>
#include <vector>

namespace speclab::experiments {

/// What a repair made of a journal.
struct JournalRepair {
  std::string original{};      ///< file that holds the damaged journal now; empty where nothing was damaged
  std::size_t num_kept = 0;    ///< lines
  std::size_t num_lost = 0;
};

/// Lines "DIGEST PAYLOAD": sixteen hexadecimal digits over the digest of the first line, that of the line before and the payload, so that
/// a changed, lost, doubled or moved line is noticed, and another journal's too. A payload is text without line breaks.
class Journal {
 public:
  /// What becomes of a last line without its line feed, which was not finished: who holds the folder's lock cuts it off, others
  /// leave it, which its writer may be about to finish.
  enum class Tail : std::uint8_t { cut_off, left };

  /// Opens the journal in `folder`, or begins an empty one in memory where there is none. An unfinished last line does not count.
  /// @throws DataError if a line with its line feed is damaged, WriteError if the folder cannot be looked at or the line not
  ///         be cut off
  static Journal open(const std::string& folder, Tail tail = Tail::cut_off);
  /// Puts a damaged journal aside, under a name of its own, and begins it again with the lines of this run that are whole: at most two go with
  /// every place that is damaged. A journal that is not damaged stays as it is.
  /// @throws DataError if its first line, by which the others are known, is damaged; WriteError
  static JournalRepair repair(const std::string& folder);
  /// A journal without a file, for what is measured and used at once.
  static Journal in_memory() { return Journal(""); }

  const std::vector<std::string>& payloads() const { return payloads_; }
  bool empty() const { return payloads_.empty(); }
  /// Bytes of an unfinished last line that were cut off.
  std::size_t num_bytes_cut() const { return num_bytes_cut_; }
  /// The payload is on the disk, if there is a file, when this returns. @throws WriteError; then the file holds what it held before, or an
  /// unfinished line more
  void append(const std::string& payload);
  /// Writes the file anew: a line that a process before this one wrote may never have reached the disk, which only the failed sync of
  /// that process knew. @throws WriteError
  void secure() const;

 private:
  explicit Journal(std::string path) : path_(std::move(path)) {}
  void add(const std::string& digest, const std::string& payload);
  void append_line(const std::string& line) const;
  /// The next line of the file, without its line feed. @param begin  byte of the file
  void accept(const std::string& line, std::size_t begin);
  void cut_off(std::size_t begin, std::size_t size);

  std::string path_;
  std::string first_digest_, last_digest_;
  std::vector<std::string> payloads_;
  std::size_t num_bytes_cut_ = 0;
};

}  // namespace speclab::experiments
