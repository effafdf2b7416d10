// An engines library of another build: none of its functions may be called but the one that says
// so.
#include <cstdint>
#include <cstdlib>

extern "C" std::uint64_t speclab_engines_interface() { return 0; }
extern "C" void* speclab_make_engines() { std::abort(); }
