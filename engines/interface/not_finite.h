#pragma once
#include <string>

#include "sim/system/errors.h"

namespace speclab::engines {

/// The words of every command about logits that are NaN or infinite.
/// @param model  name of the model that they come from
[[noreturn]] inline void throw_logits_not_finite(const std::string& model) {
  throw NotFiniteError(escaped(model, 200) +
                       ": logits are not finite; its weights are damaged or its arithmetic "
                       "overflowed: fetch the file again or try --dtype float32");
}

}  // namespace speclab::engines
