#include "experiments/drivers/program/interruption.h"

#include <fmt/format.h>

#include "sim/system/errors.h"

namespace speclab::experiments {
namespace {

volatile std::sig_atomic_t g_signal = 0;  // signal handlers have nothing else to write to

void mark(int signal) { g_signal = signal; }

void install(int signal, struct sigaction& old) {
  struct sigaction action{};
  action.sa_handler = mark;
  action.sa_flags = SA_RESTART | SA_RESETHAND;
  sigaction(signal, &action, &old);
}

}  // namespace

Interruption::Interruption() : old_interrupt_{}, old_terminate_{} {
  g_signal = 0;
  install(SIGINT, old_interrupt_);
  install(SIGTERM, old_terminate_);
}

Interruption::~Interruption() {
  sigaction(SIGINT, &old_interrupt_, nullptr);
  sigaction(SIGTERM, &old_terminate_, nullptr);
}

void Interruption::check(const std::string& how_to_resume) const {
  if (g_signal == 0) return;
  const bool terminated = g_signal == SIGTERM;
  throw Error(terminated ? ExitCode::terminated : ExitCode::interrupted,
              fmt::format("{}; {}", terminated ? "terminated" : "interrupted", how_to_resume));
}

}  // namespace speclab::experiments
