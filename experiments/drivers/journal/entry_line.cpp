#include "experiments/drivers/journal/entry_line.h"

#include <fmt/format.h>

#include <charconv>

#include "sim/system/errors.h"
#include "sim/system/json_text.h"

namespace speclab::experiments {
namespace {

constexpr std::string_view kNoKey = "-";
constexpr const char* kForm = "no entry; allowed: KIND SECTION KEY JSON";

/// The text up to the next blank, which is taken from it. @throws DataError if there is none, or
/// nothing before it
std::string_view take_word(std::string_view& text) {
  const std::size_t end = text.find(' ');
  if (end == 0 || end == std::string_view::npos) throw DataError(kForm);
  const std::string_view word = text.substr(0, end);
  text.remove_prefix(end + 1);
  return word;
}

int section_number(std::string_view word) {
  int number = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (error != std::errc() || end != word.data() + word.size() || number < 1)
    throw DataError("'" + escaped(std::string(word)) +
                    "' is no number of a section; allowed: integers from 1");
  return number;
}

}  // namespace

EntryLine entry_line(std::string_view payload) {
  if (payload.starts_with('{'))
    throw DataError(std::string(kForm) +
                    ". The journal comes from an earlier revision: finish its run with that "
                    "revision, or give another --output");
  EntryLine line;
  line.kind = take_word(payload);
  line.section = section_number(take_word(payload));
  line.key = take_word(payload);
  if (line.key == kNoKey) line.key = {};
  line.json = payload;
  return line;
}

std::string entry_payload(const EntryLine& place, const Json& entry) {
  return fmt::format("{} {} {} {}", place.kind, place.section,
                     place.key.empty() ? kNoKey : place.key,
                     entry.dump(-1, ' ', false, Json::error_handler_t::replace));
}

Json entry_json(const EntryLine& line) {
  if (json_depth(line.json) > kMostJsonDepth)
    throw DataError(fmt::format("{} levels of lists and objects; allowed: at most {}",
                                json_depth(line.json), kMostJsonDepth));
  try {
    return Json::parse(line.json);
  } catch (const Json::exception& error) {
    throw DataError(error.what());
  }
}

}  // namespace speclab::experiments
