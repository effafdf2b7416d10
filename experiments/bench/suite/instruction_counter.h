#pragma once
#include <cstdint>
#include <optional>

namespace speclab::bench {

/// Instructions that this thread retires in user mode from here on, where the system lets a process
/// count them.
class InstructionCounter {
 public:
  InstructionCounter();
  ~InstructionCounter();
  InstructionCounter(const InstructionCounter&) = delete;
  InstructionCounter& operator=(const InstructionCounter&) = delete;

  /// Since the beginning; nothing where they cannot be counted, or were not all the time.
  std::optional<std::uint64_t> read() const;

 private:
  int descriptor_;
};

}  // namespace speclab::bench
