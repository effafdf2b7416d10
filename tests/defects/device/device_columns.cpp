// The table names no part of the program: all defects are of rounds on the device.

#include "tests/defects/seeded_run.h"

namespace speclab::defects {

std::vector<Column> columns() {
  return {name_column(), wrong_column(), wild_column(), killed_by_column()};
}

}  // namespace speclab::defects
