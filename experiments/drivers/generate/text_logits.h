#pragma once
#include <functional>
#include <span>

#include "engines/interface/language_model.h"

namespace speclab::experiments {

/// Runs the ids and calls `visit(i, logits)` with the logits [vocab] after each.
void visit_logits(engines::LanguageModel& model, std::span<const Token> ids,
                  const std::function<void(std::size_t, std::span<const float>)>& visit);

}  // namespace speclab::experiments
