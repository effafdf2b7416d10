// How far the active defect moves the law of what a decoder writes: one line, the largest total
// variation over the cases of the decoder's law, the case, and in how many cases the engine refused
// to go on.

#include <cstdio>
#include <exception>

#include "tests/engines/exactness/decoder_law.h"

int main() {
  using namespace speclab::engines::testing;
  double largest = 0.0;
  const char* where = "-";
  int refused = 0;
  for (const DecoderCase& example : decoder_cases()) {
    try {
      const double distance = compare_laws(example).total_variation;
      if (distance > largest) {
        largest = distance;
        where = example.name.c_str();
      }
    } catch (const std::exception&) {
      ++refused;
    }
  }
  std::printf("%.17g %s %d\n", largest, where, refused);
}
