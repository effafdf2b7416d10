#include "sim/system/expanded_home.h"

#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

namespace speclab {
namespace {

/// Empty where the user is not known. @param user  empty for the one who runs the program
std::string home_of(const std::string& user) {
  if (const char* home = std::getenv("HOME"); user.empty() && home) return home;
  const passwd* entry = user.empty() ? ::getpwuid(::getuid()) : ::getpwnam(user.c_str());
  return entry ? entry->pw_dir : "";
}

}  // namespace

std::string expanded_home(const std::string& path) {
  if (!path.starts_with('~')) return path;
  const std::size_t end = std::min(path.find('/'), path.size());
  const std::string home = home_of(path.substr(1, end - 1));
  return home.empty() ? path : home + path.substr(end);
}

}  // namespace speclab
