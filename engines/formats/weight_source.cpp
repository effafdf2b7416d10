#include "engines/formats/weight_source.h"

#include "sim/system/errors.h"

namespace speclab::engines {

std::vector<std::byte> WeightSource::read_stored(const std::string& name) const {
  throw ContractError("no blocks of '" + name + "' in this kind of file");
}

TensorBytes WeightSource::stored_bytes(const std::string&) const { return {nullptr, {}}; }

}  // namespace speclab::engines
