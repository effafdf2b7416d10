#include "sim/policies/clairvoyant_policy.h"

#include "sim/system/errors.h"

namespace speclab::sim {

ClairvoyantPolicy::ClairvoyantPolicy(int max_length) : max_length_(max_length) {
  if (max_length < 0 || max_length > 4095)
    throw ConfigError("policy = \"clairvoyant:" + std::to_string(max_length) +
                      "\"; allowed lengths: 0 to 4095");
}

}  // namespace speclab::sim
