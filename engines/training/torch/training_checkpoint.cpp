#include "engines/training/torch/training_checkpoint.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/core/grad_mode.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <torch/serialize.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#include "engines/formats/json_file.h"
#include "engines/training/manifest.h"
#include "sim/system/errors.h"
#include "sim/system/files.h"
#include "sim/system/sha256.h"

namespace speclab::engines {
namespace {

constexpr std::string_view kCheckpointMagic = "speclab training 3\n";
constexpr std::size_t kDigestSize = 64;

constexpr std::size_t kCopies = 8;  ///< of the weights at most: moments, and what the archive adds
constexpr std::size_t kMostOther = std::size_t{1} << 26;  ///< bytes: curve, origins, names

[[noreturn]] void throw_damaged(const std::string& path) {
  throw DataError(fmt::format(
      "{}: damaged, or no checkpoint of a training; delete it to begin again", escaped(path, 200)));
}

std::size_t bytes_of(const Parameters& parameters) {
  std::size_t bytes = 0;
  for (const Parameters::Parameter& parameter : parameters.all())
    bytes += static_cast<std::size_t>(parameter.value.numel()) * sizeof(float);
  return bytes;
}

std::string text_in_archive(const nlohmann::ordered_json& json) {
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

bool is_object_of_texts(const nlohmann::json& json) {
  return json.is_object() &&
         std::ranges::all_of(json, [](const nlohmann::json& entry) { return entry.is_string(); });
}

/// A list of flat objects of texts.
nlohmann::ordered_json origins_in(const std::string& text, const std::string& path) {
  const nlohmann::json parsed = parse_json(text, path, 0, {.max_depth = 3});
  if (!parsed.is_array() || !std::ranges::all_of(parsed, is_object_of_texts)) throw_damaged(path);
  return nlohmann::ordered_json::parse(text);
}

/// Of a TOML text without its quotes.
std::string shown(const std::string& text) {
  const bool is_quoted = text.size() >= 2 && text.front() == '"' && text.back() == '"';
  return escaped(is_quoted ? text.substr(1, text.size() - 2) : text, 200);
}

/// "drafter.epochs = 4 there, 8 here" for settings with another value, or what else it may be.
std::string differences(const std::string& saved, const Provenance& settings,
                        const std::string& path) {
  constexpr std::size_t kMostShown = 10;
  const nlohmann::json there = parse_json(saved, path, 0, {.max_depth = 2}),
                       here = nlohmann::json::parse(text_in_archive(texts_json(settings)));
  if (!is_object_of_texts(there)) throw_damaged(path);
  nlohmann::json all = there;
  all.update(here);
  std::vector<std::string> parts;
  for (const auto& [key, value] : all.items())
    if (const std::string old = there.value(key, "none"), now = here.value(key, "none");
        old != now && parts.size() < kMostShown)
      parts.push_back(
          fmt::format("{} = {} there, {} here", escaped(key, 80), shown(old), shown(now)));
  if (parts.empty())
    return "all settings that are kept there are the same, so the texts, a folder it starts from "
           "or what drafter.dtype = auto means here are not";
  return fmt::format("settings that differ: {}; texts and folders may, too",
                     fmt::join(parts, "; "));
}

/// @throws DataError if the file does not begin as this revision writes it
void check_magic(const std::string& bytes, const std::string& path) {
  constexpr std::string_view kAnyRevision = "speclab training ";
  if (bytes.starts_with(kCheckpointMagic)) return;
  if (bytes.starts_with(kAnyRevision))
    throw DataError(
        fmt::format("{}: made by another revision of speclab; finish the training with that "
                    "revision, or delete it to begin again",
                    escaped(path, 200)));
  throw_damaged(path);
}

}  // namespace

void TrainingCheckpoint::save(const TrainingState& state) const {
  torch::serialize::OutputArchive archive, moments;
  optimiser_.save(moments);
  archive.write("moments", moments);
  for (const Parameters::Parameter& parameter : parameters_.all())
    archive.write(parameter.name, parameter.value.detach().cpu(), true);
  archive.write("digest", c10::IValue(training_.digest));
  archive.write("settings", c10::IValue(text_in_archive(texts_json(training_.settings))));
  archive.write("curve", c10::IValue(state.curve));
  archive.write("origins", c10::IValue(text_in_archive(state.origins)));
  archive.write("step", c10::IValue(state.step));
  archive.write("visited", c10::IValue(state.visited));
  archive.write("loss_sum", c10::IValue(state.loss_sum));
  archive.write("loss_count", c10::IValue(state.loss_count));
  std::ostringstream stream;
  archive.save_to(stream);
  const std::string bytes = stream.str();
  write_file(path_, std::string(kCheckpointMagic) + sha256_text(bytes) + bytes);
}

std::string TrainingCheckpoint::content() const {
  std::ifstream file = open_input(path_);
  std::string head(kCheckpointMagic.size() + kDigestSize, '\0');
  file.read(head.data(), static_cast<std::streamsize>(head.size()));
  check_magic(head.substr(0, static_cast<std::size_t>(file.gcount())), path_);
  std::error_code error;
  if (std::filesystem::file_size(path_, error) > kMostOther + kCopies * bytes_of(parameters_) ||
      error)
    throw DataError(
        fmt::format("{}: larger than any checkpoint of this drafter: it belongs to a larger "
                    "drafter, or it is damaged; give the old settings, or delete it to begin again",
                    escaped(path_, 200)));
  std::string bytes{std::istreambuf_iterator<char>(file), {}};
  if (sha256_text(bytes) != head.substr(kCheckpointMagic.size())) throw_damaged(path_);
  return bytes;
}

TrainingState TrainingCheckpoint::load() const {
  std::istringstream stream(content());
  try {
    return state_in(stream);
  } catch (const DataError&) {
    throw;
  } catch (const c10::OutOfMemoryError&) {
    throw;
  } catch (
      const std::exception&) {  // of libtorch or a JSON reader, of an archive that is none of ours
    throw_damaged(path_);
  }
}

TrainingState TrainingCheckpoint::state_in(std::istream& stream) const {
  torch::serialize::InputArchive archive, moments;
  archive.load_from(stream, parameters_.all().front().value.device());
  const auto value = [&](const char* name) {
    c10::IValue read;
    archive.read(name, read);
    return read;
  };
  if (value("digest").toStringRef() != training_.digest)
    throw DataError(fmt::format(
        "{}: belongs to another training ({}); delete it to begin again, or give its settings",
        escaped(path_, 200),
        differences(value("settings").toStringRef(), training_.settings, path_)));
  const at::NoGradGuard guard;
  for (Parameters::Parameter& parameter : parameters_.all()) {
    at::Tensor saved;
    archive.read(parameter.name, saved, true);
    parameter.value.copy_(saved);
  }
  archive.read("moments", moments);
  optimiser_.load(moments);
  const TrainingState state{
      value("step").toInt(),        value("visited").toInt(),
      value("loss_sum").toDouble(), value("loss_count").toInt(),
      value("curve").toStringRef(), origins_in(value("origins").toStringRef(), path_)};
  if (state.step < 0 || state.visited < 0 || state.loss_count < 0) throw_damaged(path_);
  return state;
}

}  // namespace speclab::engines
