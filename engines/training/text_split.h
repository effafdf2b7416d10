#pragma once
#include <vector>

#include "engines/training/own_text.h"

namespace speclab::engines {

/// What a drafter is trained on and what it is measured on. Pointers into the texts.
struct TextSplit {
  std::vector<const OwnText*> training, held_out;
};

/// Holds out the first `num_held_out` texts that have emitted tokens; of the others, those with a
/// prompt of a text held out are left out.
TextSplit split_texts(const std::vector<OwnText>& texts, std::size_t num_held_out);
/// The texts of a training other than of n-grams: as above, or where they are stretches of files,
/// which have no prompts, the first schedule.validation_sequences and the rest.
TextSplit split_texts(const std::vector<OwnText>& texts, const TrainOptions& options);

}  // namespace speclab::engines
