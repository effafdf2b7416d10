// A library to be loaded before others: every look at the clock of the wall jumps, an hour ahead or
// behind in turn. Other clocks are as they are.

#include <dlfcn.h>
#include <sys/time.h>
#include <time.h>

namespace {

constexpr time_t kHour = 3600;

time_t next_jump() {
  static int looks = 0;
  return ++looks % 2 ? kHour : -kHour;
}

template <typename Function>
Function* real(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

}  // namespace

extern "C" int clock_gettime(clockid_t clock, timespec* now) noexcept {
  static auto* const from_system = real<int(clockid_t, timespec*)>("clock_gettime");
  const int status = from_system(clock, now);
  if (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE) now->tv_sec += next_jump();
  return status;
}

extern "C" int gettimeofday(timeval* now, void* zone) noexcept {
  static auto* const from_system = real<int(timeval*, void*)>("gettimeofday");
  const int status = from_system(now, zone);
  now->tv_sec += next_jump();
  return status;
}

extern "C" time_t time(time_t* result) noexcept {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  if (result) *result = now.tv_sec;
  return now.tv_sec;
}
