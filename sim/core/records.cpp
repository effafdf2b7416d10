#include "sim/core/records.h"

#include "sim/system/errors.h"

namespace speclab {

const char* to_string(NextKind kind) {
  switch (kind) {
    case NextKind::recovered:
      return "recovered";
    case NextKind::bonus:
      return "bonus";
  }
  throw_contract_error("a NextKind", __FILE__, __LINE__, "not a NextKind");
}

const char* to_string(TokenFate fate) {
  switch (fate) {
    case TokenFate::plain:
      return "plain";
    case TokenFate::accepted:
      return "accepted";
    case TokenFate::recovered:
      return "recovered";
    case TokenFate::bonus:
      return "bonus";
  }
  throw_contract_error("a TokenFate", __FILE__, __LINE__, "not a TokenFate");
}

const char* to_string(StopReason reason) {
  switch (reason) {
    case StopReason::length:
      return "length";
    case StopReason::end_of_sequence:
      return "end_of_sequence";
    case StopReason::stop_string:
      return "stop_string";
    case StopReason::time:
      return "time";
  }
  throw_contract_error("a StopReason", __FILE__, __LINE__, "not a StopReason");
}

}  // namespace speclab
