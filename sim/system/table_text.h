#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace speclab {

/// The longest name that a table takes, in bytes.
inline constexpr std::size_t kLongestTableText = 1000;

/// For messages: what table_text_problem finds nothing wrong with.
inline constexpr const char* kTableTextRule =
    "at most 1000 bytes of UTF-8 without control characters such as line feeds";

/// Why a text may not become a field of a table: "a control character (byte 0x0a) at byte 3". Empty
/// where it may. Whatever names something in a table is checked where it enters, before anything is
/// measured. Bytes count from 1. An empty text is allowed here; callers that need a name check it.
std::string table_text_problem(std::string_view text);

}  // namespace speclab
