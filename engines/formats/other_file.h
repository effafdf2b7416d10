#pragma once
// Files that people give by mistake, told by their first bytes: pointers, web pages, archives.

#include <optional>
#include <string>
#include <string_view>

#include "engines/formats/input_file.h"

namespace speclab::engines {

/// The true kind of a file, and the thing to do instead of reading it.
struct OtherFile {
  std::string kind;
  std::string change;
};

/// Nothing for bytes that no known kind begins with.
std::optional<OtherFile> other_file(std::string_view first_bytes);

/// A reader calls this when it has met bytes of another format.
/// @param wanted  the format that the reader reads
/// @throws ModelFileError naming the kind of the file, if it is known
void refuse_other_file(const InputFile& file, std::string_view wanted);

}  // namespace speclab::engines
