#pragma once
// The families of the suite, one file each.

#include "experiments/bench/suite/suite.h"

namespace speclab::bench {

void add_verification(const Suite& suite);
void add_processors(const Suite& suite);
void add_samplers(const Suite& suite);
void add_trees(const Suite& suite);
void add_ngrams(const Suite& suite);
void add_tokenizer(const Suite& suite);
void add_simulator(const Suite& suite);
void add_parsers(const Suite& suite);
void add_decoding(const Suite& suite);
/// What the clocks are tested with; not compared.
void add_timer(const Suite& suite);

}  // namespace speclab::bench
