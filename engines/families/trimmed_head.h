#pragma once
#include <vector>

#include "engines/families/catalogue.h"

namespace speclab::engines {

/// The model with the rows of its head that belong to these tokens, which are all that it can
/// draft. @param tokens  of the model's vocabulary, ascending, at least one
/// @throws ConfigError if it has a draft vocabulary already
ModelSource with_trimmed_head(ModelSource source, std::vector<Token> tokens);

}  // namespace speclab::engines
