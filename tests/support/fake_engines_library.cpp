// Fake engines as the library that the program opens. The environment says what worker processes
// (--role work) do to a generation: SPECLAB_FAKE_MS is how many milliseconds each takes,
// SPECLAB_FAKE_FAULT is "SEQUENCE:FAULT:FILE" with a FAULT of abort, kill, throw or hang, which
// strikes a generation of that sequence once, in whichever process finds no FILE yet. With
// SPECLAB_FAKE_DEVICE the models are on a device on which as many other processes compute.
#include <fcntl.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <new>
#include <sstream>
#include <thread>

#include "engines/interface/interface_number.h"
#include "tests/support/fake_engines.h"

namespace speclab::testing {
namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

void strike(const std::string& fault) {
  if (fault == "abort") std::abort();
  if (fault == "kill") std::raise(SIGKILL);
  if (fault == "throw") throw std::bad_alloc();
  while (fault == "hang") ::pause();
}

bool is_worker() {
  std::ifstream file("/proc/self/cmdline");
  for (std::string word; std::getline(file, word, '\0');)
    if (word == "work") return true;
  return false;
}

void begin_sequence(std::uint32_t sequence) {
  static const bool works = is_worker();
  if (!works) return;
  if (const std::string ms = variable("SPECLAB_FAKE_MS"); !ms.empty())
    std::this_thread::sleep_for(std::chrono::milliseconds(std::atoi(ms.c_str())));
  std::istringstream words(variable("SPECLAB_FAKE_FAULT"));
  std::string number, fault, file;
  if (!std::getline(words, number, ':') || !std::getline(words, fault, ':') ||
      !std::getline(words, file))
    return;
  if (std::to_string(sequence) != number) return;
  const int descriptor = ::open(file.c_str(), O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  if (descriptor < 0) return;
  ::close(descriptor);
  strike(fault);
}

}  // namespace
}  // namespace speclab::testing

extern "C" std::uint64_t speclab_engines_interface() { return speclab::engines::kInterfaceNumber; }

extern "C" speclab::engines::Engines* speclab_make_engines() {
  auto state = std::make_shared<speclab::testing::FakeEnginesState>();
  state->on_sequence = speclab::testing::begin_sequence;
  if (const std::string processes = speclab::testing::variable("SPECLAB_FAKE_DEVICE");
      !processes.empty())
    state->device = [processes] {
      return speclab::DeviceSample{.sm_clock_mhz = 1980,
                                   .other_processes = std::atoi(processes.c_str())};
    };
  return new speclab::testing::FakeEngines(state);
}
