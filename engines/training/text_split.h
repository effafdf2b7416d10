#pragma once
#include <vector>

#include "engines/training/own_text.h"

namespace speclab::engines {

/// What a drafter is trained on and what it is measured on. Pointers into the texts.
struct TextSplit {
  std::vector<const OwnText*> training, held_out;
};

/// Holds out the first `num_held_out` texts that have emitted tokens; of the others, those with a prompt of a text held out are left out.
TextSplit split_texts(const std::vector<OwnText>& texts, std::size_t num_held_out);

}  // namespace speclab::engines
