#pragma once
// Sixteen lanes: one register of AVX-512, or pairs of the narrower registers that a processor has.
// GCC keeps a vector type that is wider than a register in memory (products of six rows and more
// took five times as long), but members of a struct in registers.

#include <cstdint>
#include <cstring>
#include <utility>

namespace speclab::engines::cpu::SPECLAB_KERNELS_NAMESPACE {
namespace {

constexpr int kLanes = 16;

/// Two halves that are treated alike.
template <typename Half>
struct Pair {
  Half low, high;
  auto operator[](int lane) const {
    constexpr int kHalf = static_cast<int>(sizeof(Half) / 4);
    return lane < kHalf ? low[lane] : high[lane - kHalf];
  }
};

#define SPECLAB_PAIR_OPERATOR(op)                                            \
  template <typename Half>                                                   \
  inline auto operator op(Pair<Half> a, Pair<Half> b) {                      \
    return Pair<decltype(a.low op b.low)>{a.low op b.low, a.high op b.high}; \
  }                                                                          \
  template <typename Half, typename Other>                                   \
  inline auto operator op(Pair<Half> a, Other b) {                           \
    return Pair<decltype(a.low op b)>{a.low op b, a.high op b};              \
  }
SPECLAB_PAIR_OPERATOR(+)
SPECLAB_PAIR_OPERATOR(-)
SPECLAB_PAIR_OPERATOR(*)
SPECLAB_PAIR_OPERATOR(/)
SPECLAB_PAIR_OPERATOR(<)
SPECLAB_PAIR_OPERATOR(>)
SPECLAB_PAIR_OPERATOR(==)
SPECLAB_PAIR_OPERATOR(!=)
SPECLAB_PAIR_OPERATOR(|)
SPECLAB_PAIR_OPERATOR(&)
SPECLAB_PAIR_OPERATOR(<<)
SPECLAB_PAIR_OPERATOR(>>)
#undef SPECLAB_PAIR_OPERATOR
template <typename Half>
inline Pair<Half> operator+(float a, Pair<Half> b) {
  return {a + b.low, a + b.high};
}
template <typename Half>
inline Pair<Half> operator-(Pair<Half> a) {
  return {-a.low, -a.high};
}

/// Calls f with the constants 0 ... N - 1: unlike a loop that is unrolled later, it leaves arrays
/// of vectors in registers.
template <int N, typename Function>
[[gnu::always_inline]] inline void unrolled(Function f) {
  [&]<int... I>(std::integer_sequence<int, I...>) __attribute__((always_inline)) {
    (f(std::integral_constant<int, I>()), ...);
  }(std::make_integer_sequence<int, N>());
}

/// Register of a type, and the sixteen lanes that are made of it. A table can ask for registers of
/// eight lanes where wider ones exist.
#if defined(__AVX512F__) && !defined(SPECLAB_NARROW_REGISTERS)
#define SPECLAB_WIDE_REGISTERS
constexpr int kRegisterBytes = 64, kVectorRegisters = 32;  ///< the latter in vectors of 16 lanes
template <typename Register>
using Lanes = Register;
#elif defined(__AVX2__)
constexpr int kRegisterBytes = 32, kVectorRegisters = 8;
template <typename Register>
using Lanes = Pair<Register>;
#else
constexpr int kRegisterBytes = 16, kVectorRegisters = 4;
template <typename Register>
using Lanes = Pair<Pair<Register> >;
#endif
typedef float Register __attribute__((vector_size(kRegisterBytes)));
typedef std::int32_t IntRegister __attribute__((vector_size(kRegisterBytes)));
typedef std::uint32_t UintRegister __attribute__((vector_size(kRegisterBytes)));
using Vector = Lanes<Register>;
using IntVector = Lanes<IntRegister>;
using UintVector = Lanes<UintRegister>;

/// Functions that both forms have beside operators.
inline Register choose(IntRegister mask, Register a, Register b) { return mask ? a : b; }
inline IntRegister to_int(Register v) { return __builtin_convertvector(v, IntRegister); }
inline Register as_float(IntRegister v) { return reinterpret_cast<Register>(v); }
inline Register as_float(UintRegister v) { return reinterpret_cast<Register>(v); }
inline Register to_float(IntRegister v) { return __builtin_convertvector(v, Register); }
inline IntRegister as_int(UintRegister v) { return reinterpret_cast<IntRegister>(v); }
inline UintRegister as_bits(Register v) { return reinterpret_cast<UintRegister>(v); }
inline Register splat_register(float x) { return x - Register{}; }
/// The low 16 bits of every lane.
inline void store_low_halves(UintRegister v, std::uint16_t* out) {
  typedef std::uint16_t Halves __attribute__((vector_size(kRegisterBytes / 2)));
  const Halves halves = __builtin_convertvector(v, Halves);
  std::memcpy(out, &halves, sizeof halves);
}

template <typename Mask, typename Half>
inline Pair<Half> choose(Pair<Mask> mask, Pair<Half> a, Pair<Half> b) {
  return {choose(mask.low, a.low, b.low), choose(mask.high, a.high, b.high)};
}
template <typename Half>
inline auto to_int(Pair<Half> v) {
  return Pair<decltype(to_int(v.low))>{to_int(v.low), to_int(v.high)};
}
template <typename Half>
inline auto to_float(Pair<Half> v) {
  return Pair<decltype(to_float(v.low))>{to_float(v.low), to_float(v.high)};
}
template <typename Half>
inline auto as_int(Pair<Half> v) {
  return Pair<decltype(as_int(v.low))>{as_int(v.low), as_int(v.high)};
}
template <typename Half>
inline auto as_float(Pair<Half> v) {
  return Pair<decltype(as_float(v.low))>{as_float(v.low), as_float(v.high)};
}
template <typename Half>
inline auto as_bits(Pair<Half> v) {
  return Pair<decltype(as_bits(v.low))>{as_bits(v.low), as_bits(v.high)};
}
template <typename Half>
inline void store_low_halves(Pair<Half> v, std::uint16_t* out) {
  store_low_halves(v.low, out);
  store_low_halves(v.high, out + sizeof(Half) / 4);
}

/// A register at a time: a copy of the whole struct would go through memory.
template <typename Register>
inline void copy_lanes(const void* from, Register& to) {
  std::memcpy(&to, from, sizeof to);
}
template <typename Half>
inline void copy_lanes(const void* from, Pair<Half>& to) {
  copy_lanes(from, to.low);
  copy_lanes(static_cast<const char*>(from) + sizeof(Half), to.high);
}
template <typename Register>
inline void copy_lanes(const Register& from, void* to) {
  std::memcpy(to, &from, sizeof from);
}
template <typename Half>
inline void copy_lanes(const Pair<Half>& from, void* to) {
  copy_lanes(from.low, to);
  copy_lanes(from.high, static_cast<char*>(to) + sizeof(Half));
}

/// Lanes of a narrower type, a register at a time. Both are whole numbers: GCC 12 converts bytes to
/// floats one by one.
template <typename Narrow, typename Wide>
inline void widen(const void* from, Wide& to) {
  constexpr int kCount = kRegisterBytes / 4;
  typedef Narrow Few __attribute__((vector_size(kCount * sizeof(Narrow))));
  Few few;
  std::memcpy(&few, from, sizeof few);
  to = __builtin_convertvector(few, Wide);
}
template <typename Narrow, typename Half>
inline void widen(const void* from, Pair<Half>& to) {
  widen<Narrow>(from, to.low);
  widen<Narrow>(static_cast<const Narrow*>(from) + sizeof(Half) / 4, to.high);
}

inline Vector splat(float x) { return Vector{} + splat_register(x); }

}  // namespace
}  // namespace speclab::engines::cpu::SPECLAB_KERNELS_NAMESPACE
