#include "experiments/drivers/program/whole_lines.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>

#include "sim/system/errors.h"
#include "sim/system/files.h"

namespace speclab::experiments {
namespace {

constexpr std::size_t kBlockBytes = 1 << 20;

}  // namespace

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

}  // namespace speclab::experiments
