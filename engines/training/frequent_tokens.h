#pragma once
#include <span>
#include <vector>

#include "engines/training/own_text.h"

namespace speclab::engines {

/// The `count` tokens that the texts' laws and their draws give the most weight, ascending; ties go
/// to the lower id.
std::vector<Token> frequent_tokens(std::span<const OwnText* const> texts, std::int32_t vocab_size,
                                   std::int32_t count);

}  // namespace speclab::engines
