#pragma once
// A draft's text in the target's tokens.

#include <span>
#include <string_view>
#include <vector>

#include "engines/interface/tokenizer.h"

namespace speclab::engines {

/// The tokens that the target's tokenizer makes of `text` behind the tokens that stand. It sees the
/// last of them, so that it spells the text as it would within the whole. Those that stand never
/// change: where a token would reach over the border, the text is spelled by itself.
/// @param look_behind  tokens that it sees; 0: all
/// @return tokens that spell `text` byte by byte, none where there are no such tokens
std::vector<Token> spelled_behind(const Tokenizer& target, std::span<const Token> standing,
                                  std::string_view text, std::size_t look_behind);

}  // namespace speclab::engines
