#include "sim/core/vector_math.h"

// Clones are x86's, and their resolvers run before a sanitizer is set up.
#if !defined(__x86_64__) || defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SPECLAB_WIDE_CLONES
#else
#define SPECLAB_WIDE_CLONES [[gnu::target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")]]
#endif

namespace speclab {

SPECLAB_WIDE_CLONES double sum(std::span<const float> values) { return sum<float>(values); }

SPECLAB_WIDE_CLONES double positive_difference(const float* p, float p_scale,
                                               std::span<const float> q, float q_scale,
                                               float* out) {
  return positive_difference<float>(p, p_scale, q, q_scale, out);
}

SPECLAB_WIDE_CLONES double rest_beyond_minimum(const float* p, float p_scale,
                                               std::span<const float> q, float share, float* out) {
  return rest_beyond_minimum<float>(p, p_scale, q, share, out);
}

SPECLAB_WIDE_CLONES double minimum_sum(std::span<const float> p, double p_scale,
                                       std::span<const float> q) {
  return minimum_sum<float>(p, p_scale, q);
}

}  // namespace speclab
