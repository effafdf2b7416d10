#include "sim/policies/constant_policy.h"

#include "sim/system/errors.h"

namespace speclab {

ConstantPolicy::ConstantPolicy(int length) : length_(length) {
  if (length < 0 || length > 4095)
    throw ConfigError("policy = \"constant:" + std::to_string(length) +
                      "\"; allowed lengths: 0 to 4095");
}

}  // namespace speclab
