#include "sim/system/errors.h"

namespace speclab {

void throw_contract_error(const char* condition, const char* file, int line,
                          const std::string& message) {
  throw ContractError(std::string(file) + ":" + std::to_string(line) + ": " + message +
                      " (expected: " + condition + ")");
}

}  // namespace speclab
