#pragma once
#include <cstdint>

#include "engines/cpu/thread_team.h"

namespace speclab::engines::cpu {

/// Bytes per second of the best of `passes` passes over `bytes` of memory, wide loads, all threads
/// of the team: the floor that a plain step is held against.
double read_bandwidth(ThreadTeam& team, std::int64_t bytes, int passes);

}  // namespace speclab::engines::cpu
