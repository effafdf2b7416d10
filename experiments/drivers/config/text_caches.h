#pragma once
#include <string>

#include "engines/interface/language_model.h"
#include "engines/interface/training.h"

namespace speclab::experiments {

/// Names files of the user cache for the texts of a training where its config names none: one for
/// every target and every choice of texts, so that trainings of different targets never meet in
/// one file. Trainings that differ in their drafter alone share it.
void name_text_caches(const engines::ModelInfo& target, engines::TrainOptions& options);

}  // namespace speclab::experiments
