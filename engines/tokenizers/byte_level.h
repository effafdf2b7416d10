#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace speclab::engines {

/// The bytes that a token's text stands for in the byte-level alphabet, in which each of the 256
/// bytes is one printable character.
/// @return nothing if `text` uses a character outside that alphabet
/// @source Radford et al. 2019 (GPT-2), bytes_to_unicode of its encoder
std::optional<std::string> bytes_of_token_text(std::string_view text);

}  // namespace speclab::engines
