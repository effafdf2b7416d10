#include "engines/training/torch/training_checkpoint.h"

#include <fmt/format.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/core/grad_mode.h>
#include <torch/serialize.h>

#include <fstream>
#include <iterator>
#include <sstream>

#include "sim/core/errors.h"
#include "sim/core/files.h"
#include "sim/core/sha256.h"

namespace speclab::engines {
namespace {

constexpr std::string_view kMagic = "speclab training 2\n";
constexpr std::size_t kDigestSize = 64;

}  // namespace

void TrainingCheckpoint::save(const TrainingState& state) const {
  torch::serialize::OutputArchive archive, moments;
  optimiser_.save(moments);
  archive.write("moments", moments);
  for (const Parameters::Parameter& parameter : parameters_.all()) archive.write(parameter.name, parameter.value.detach(), true);
  archive.write("digest", c10::IValue(digest_));
  archive.write("curve", c10::IValue(state.curve));
  archive.write("origins", c10::IValue(state.origins.dump()));
  archive.write("step", c10::IValue(state.step));
  archive.write("visited", c10::IValue(state.visited));
  archive.write("loss_sum", c10::IValue(state.loss_sum));
  archive.write("loss_count", c10::IValue(state.loss_count));
  std::ostringstream stream;
  archive.save_to(stream);
  const std::string bytes = stream.str();
  write_file(path_, std::string(kMagic) + sha256_text(bytes) + bytes);
}

TrainingState TrainingCheckpoint::load() const {
  std::ifstream stored = open_input(path_);
  const std::string file{std::istreambuf_iterator<char>(stored), {}};
  const std::size_t head = kMagic.size() + kDigestSize;
  if (!file.starts_with(kMagic) || file.size() < head || sha256_text(file.substr(head)) != file.substr(kMagic.size(), kDigestSize))
    throw DataError(fmt::format("{}: damaged, or no checkpoint of a training; delete it to begin again", path_));
  std::istringstream stream(file.substr(head));
  torch::serialize::InputArchive archive, moments;
  archive.load_from(stream);
  const auto value = [&](const char* name) {
    c10::IValue read;
    archive.read(name, read);
    return read;
  };
  if (value("digest").toStringRef() != digest_)
    throw DataError(fmt::format("{}: is of a training with other texts or settings; delete it to begin again, or give the old settings", path_));
  const at::NoGradGuard guard;
  for (Parameters::Parameter& parameter : parameters_.all()) {
    at::Tensor saved;
    archive.read(parameter.name, saved, true);
    parameter.value.copy_(saved);
  }
  archive.read("moments", moments);
  optimiser_.load(moments);
  return {value("step").toInt(), value("visited").toInt(), value("loss_sum").toDouble(), value("loss_count").toInt(), value("curve").toStringRef(), nlohmann::ordered_json::parse(value("origins").toStringRef())};
}

}  // namespace speclab::engines
