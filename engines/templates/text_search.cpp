#include "engines/templates/text_search.h"

#include <algorithm>

namespace speclab::templates {
namespace {

constexpr std::size_t kNowhere = std::string_view::npos;
/// The cost of a place whose first character agrees, in bytes that are read in the same time.
constexpr std::size_t kPlaceBytes = 16;

/// Bytes of a search, handed to the rendering before there are many of them.
class SearchedBytes {
 public:
  explicit SearchedBytes(Rendering& rendering) : rendering_(rendering) {}
  void add(std::size_t bytes) {
    bytes_ += bytes;
    if (bytes_ < 1024) return;
    rendering_.step_bytes(bytes_);
    bytes_ = 0;
  }
  /// A search for the nearest byte takes a step too.
  void finish() { rendering_.step(1 + bytes_ / 64); }

 private:
  Rendering& rendering_;
  std::size_t bytes_ = 0;
};

std::size_t num_equal(std::string_view text, std::string_view sought) {
  return static_cast<std::size_t>(std::ranges::mismatch(sought, text).in1 - sought.begin());
}

}  // namespace

std::size_t found_from_left(Rendering& rendering, std::string_view text, std::string_view sought,
                            std::size_t first) {
  if (sought.empty() || first > text.size() || sought.size() > text.size() - first)
    return text.find(sought, first);
  SearchedBytes searched(rendering);
  const std::string_view places = text.substr(0, text.size() - sought.size() + 1);
  std::size_t found = kNowhere;
  while (found == kNowhere && first < places.size()) {
    const std::size_t place = std::min(places.find(sought[0], first), places.size());
    searched.add(place - first);
    if (place == places.size()) break;
    const std::size_t equal = num_equal(text.substr(place), sought);
    searched.add(kPlaceBytes + equal);
    if (equal == sought.size()) found = place;
    first = place + 1;
  }
  searched.finish();
  return found;
}

std::size_t found_from_right(Rendering& rendering, std::string_view text, std::string_view sought) {
  if (sought.empty() || sought.size() > text.size()) return text.rfind(sought);
  SearchedBytes searched(rendering);
  std::size_t found = kNowhere;
  for (std::size_t end = text.size() - sought.size() + 1; found == kNowhere && end > 0;) {
    const std::size_t place = text.substr(0, end).rfind(sought[0]);
    searched.add(end - (place == kNowhere ? 0 : place));
    if (place == kNowhere) break;
    const std::size_t equal = num_equal(text.substr(place), sought);
    searched.add(kPlaceBytes + equal);
    if (equal == sought.size()) found = place;
    end = place;
  }
  searched.finish();
  return found;
}

}  // namespace speclab::templates
