#include <gtest/gtest.h>

#include <cstring>

#include "engines/cpu/packed_decoder.h"
#include "engines/families/catalogue.h"

namespace speclab::engines::cpu {
namespace {

bool are_equal(const PackedMatrix& a, const PackedMatrix& b) {
  return a.bytes() == b.bytes() &&
         std::memcmp(a.placed_parts().front().data, b.placed_parts().front().data,
                     static_cast<std::size_t>(a.bytes())) == 0;
}

/// Defect: threads leave a part of a table out, or put its rows into columns of another part.
TEST(TableLoading, GivesTheSameBytesWithAnyNumberOfThreads) {
  const ModelSource source = open_model("smollm2-135m");
  const Widths widths(source.config);
  for (const NumberForms& numbers :
       {NumberForms(ElementType::bfloat16), NumberForms(WeightChoice::file, ProductKind::exact),
        NumberForms(WeightChoice::q8, ProductKind::int8)}) {
    const Loading from{source.config, widths, *source.weights,
                       MatrixForms(source.config, *source.weights, numbers)};
    const PackedMatrix by_one = load_matrix(from, TensorRole::embedding, 0);
    for (const int size : {1, 3}) {
      ThreadTeam team(size);
      EXPECT_TRUE(are_equal(load_table(from, TensorRole::embedding, team), by_one))
          << numbers.name() << ", threads: " << size;
    }
  }
}

}  // namespace
}  // namespace speclab::engines::cpu
