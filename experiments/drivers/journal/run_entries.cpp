#include "experiments/drivers/journal/run_entries.h"

namespace speclab::experiments {

const char* to_string(FailureStatus status) {
  switch (status) {
    case FailureStatus::exception:
      return "exception";
    case FailureStatus::out_of_memory:
      return "out_of_memory";
    case FailureStatus::not_finite:
      return "not_finite";
    case FailureStatus::timeout:
      return "timeout";
    case FailureStatus::device:
      return "device";
    case FailureStatus::crash:
      return "crash";
  }
  return "";
}

}  // namespace speclab::experiments
