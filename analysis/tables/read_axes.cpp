#include "analysis/tables/read_axes.h"

namespace speclab::analysis {

CellAxes read_axes(const Table& table, std::size_t row) {
  return {.model = table.text(row, "model"),
          .drafter = table.text(row, "drafter"),
          .tree = table.optional_text(row, "tree").value_or(""),
          .policy = table.optional_text(row, "policy").value_or(""),
          .verifier = table.optional_text(row, "verifier").value_or(""),
          .temperature = table.number_from(0, 1e3, row, "temperature"),
          .top_k = table.count(row, "top_k"),
          .top_p = table.number_from(0, 1, row, "top_p"),
          .min_p = table.number_from(0, 1, row, "min_p"),
          .repetition_penalty = table.number_from(1e-3, 1e3, row, "repetition_penalty")};
}

}  // namespace speclab::analysis
