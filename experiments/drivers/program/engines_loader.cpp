#include "experiments/drivers/program/engines_loader.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <filesystem>

#include "engines/interface/interface_number.h"
#include "sim/system/errors.h"
#include "sim/system/sha256.h"

namespace speclab::experiments {
namespace {

constexpr const char* kLibrary = "libspeclab_engines.so";

/// Beside the program in a build folder; in lib/speclab of an installation.
std::filesystem::path engines_library() {
  const std::filesystem::path folder =
      std::filesystem::read_symlink("/proc/self/exe").parent_path();
  const std::filesystem::path installed = folder.parent_path() / "lib/speclab" / kLibrary;
  return std::filesystem::exists(installed) ? installed : folder / kLibrary;
}

using Maker = engines::Engines* (*)();

/// @throws Error(internal) if the library is another one, or its structs are not this program's
Maker maker_in(void* handle, const std::string& library) {
  const auto make = reinterpret_cast<Maker>(dlsym(handle, "speclab_make_engines"));
  if (!make)
    throw Error(ExitCode::internal,
                fmt::format("{} is no engines library: {}", library, dlerror()));
  const auto number =
      reinterpret_cast<std::uint64_t (*)()>(dlsym(handle, "speclab_engines_interface"));
  if (!number || number() != engines::kInterfaceNumber)
    throw Error(
        ExitCode::internal,
        fmt::format("engines library {} belongs to another build; build both again", library));
  return make;
}

}  // namespace

std::string engines_sha256() {
  static const std::string digest =
      have_engines() ? sha256_file(engines_library().string()) : "none";
  return digest;
}

bool have_engines() { return std::filesystem::exists(engines_library()); }

std::unique_ptr<engines::Engines> open_engines() {
  const auto library = engines_library();
  if (!std::filesystem::exists(library))
    throw ConfigError(
        fmt::format("{} is missing: this build has no engines; build the preset 'release' for "
                    "commands that run a model",
                    library.string()));
  void* handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle)
    throw ConfigError(
        fmt::format("cannot open the engines: {}; run scripts/setup and scripts/build as the user "
                    "who runs speclab",
                    dlerror()));
  return std::unique_ptr<engines::Engines>(maker_in(handle, library.string())());
}

}  // namespace speclab::experiments
