#pragma once
// Arithmetic on sizes that came out of a file. Nothing wraps: a result that does not fit makes the
// value invalid, and stays so.

#include <cstdint>
#include <optional>

namespace speclab::engines {

/// An unsigned size, or "does not fit". Every operation on an invalid size is invalid, so one check
/// at the end is enough.
class CheckedSize {
 public:
  constexpr CheckedSize(std::uint64_t value)
      : value_(value) {}  // NOLINT(google-explicit-constructor): a plain size is one

  constexpr CheckedSize operator+(CheckedSize other) const {
    return combine(other, [](std::uint64_t a, std::uint64_t b, std::uint64_t* out) {
      return __builtin_add_overflow(a, b, out);
    });
  }
  constexpr CheckedSize operator-(CheckedSize other) const {
    return combine(other, [](std::uint64_t a, std::uint64_t b, std::uint64_t* out) {
      return __builtin_sub_overflow(a, b, out);
    });
  }
  constexpr CheckedSize operator*(CheckedSize other) const {
    return combine(other, [](std::uint64_t a, std::uint64_t b, std::uint64_t* out) {
      return __builtin_mul_overflow(a, b, out);
    });
  }
  /// The next multiple of `alignment`, a power of two; anything else is invalid.
  constexpr CheckedSize align_up(std::uint64_t alignment) const {
    if (alignment == 0 || (alignment & (alignment - 1)) != 0) return invalid();
    const CheckedSize raised = *this + (alignment - 1);
    return raised.value_ ? CheckedSize(*raised.value_ & ~(alignment - 1)) : invalid();
  }

  constexpr bool valid() const { return value_.has_value(); }
  constexpr bool at_most(std::uint64_t limit) const { return value_ && *value_ <= limit; }
  /// The size, if it is valid and at most `limit`.
  constexpr std::optional<std::uint64_t> within(std::uint64_t limit) const {
    return at_most(limit) ? value_ : std::nullopt;
  }

 private:
  static constexpr CheckedSize invalid() {
    CheckedSize none(0);
    none.value_.reset();
    return none;
  }
  template <typename Operation>
  constexpr CheckedSize combine(CheckedSize other, Operation operation) const {
    std::uint64_t result = 0;
    if (!value_ || !other.value_ || operation(*value_, *other.value_, &result)) return invalid();
    return result;
  }

  std::optional<std::uint64_t> value_;
};

}  // namespace speclab::engines
