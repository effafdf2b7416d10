#pragma once
#include <optional>
#include <string>

namespace speclab::engines {

/// The hub's cache keeps files as "blobs/DIGEST" and links to them. Copies of it by tools without
/// links, such as git on some systems, have the target of each link as the text of a small file.
/// @return the path of the blob that such a file stands for; nothing for any other file
std::optional<std::string> blob_behind(const std::string& path);

}  // namespace speclab::engines
