#pragma once
// The width of a terminal, and of text on it.

#include <cstddef>
#include <string>
#include <string_view>

namespace speclab::experiments {

/// Whether standard error is a terminal that can clear a line; TERM=dumb cannot.
bool can_renew_line();

/// Columns of the terminal behind standard error at this moment; 80 where it does not tell.
std::size_t terminal_columns();

/// Columns that a text takes, an upper bound: two for each wide character, one for any other.
/// @source Unicode Standard Annex 11 (East Asian Width), blocks of the classes W and F
std::size_t columns_of(std::string_view text);

/// The beginning of the text that takes at most so many columns, in whole characters.
std::string cut_to_columns(std::string_view text, std::size_t columns);

}  // namespace speclab::experiments
