#pragma once
#include <memory>

#include "engines/interface/language_model.h"

namespace speclab::engines {

/// The same model with another number of logits a row: rows of an embedding are padded differently
/// in models of one family. Tokens that the model does not have get minus infinity, and the model
/// reads its first token in their place. Further ones of its own are cut off.
/// @param model  without a draft vocabulary
std::unique_ptr<LanguageModel> with_vocabulary_size(std::shared_ptr<LanguageModel> model,
                                                    std::int32_t vocab_size);

}  // namespace speclab::engines
