#pragma once
#include <gtest/gtest.h>

/// First in a test that runs a program under `ulimit -v`.
#ifdef __SANITIZE_ADDRESS__
#define SPECLAB_NEEDS_AN_ADDRESS_LIMIT() \
  GTEST_SKIP() << "the address sanitizer reserves terabytes of addresses, which no limit leaves"
#else
#define SPECLAB_NEEDS_AN_ADDRESS_LIMIT() static_cast<void>(0)
#endif
