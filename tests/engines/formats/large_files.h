#pragma once
// Large files of every format, made by code, and what reads them; a long text too, and what makes
// its tokens.

#include <functional>
#include <ostream>
#include <string>
#include <vector>

namespace speclab::testing {

struct Format {
  std::string name;
  std::function<void(const std::string& path, const std::string& bytes)> read;
};

/// The reader of each format.
std::vector<Format> file_formats();
/// Makes the tokens of a text, by merges that pair everything again and again; needs no file.
Format text_tokens();

struct LargeFile {
  std::string name;
  Format format;
  std::function<std::string(int)> bytes;
  int n;                  ///< entries of the smaller file of cost_test.cpp
  double heap_share = 8;  ///< times its bytes, at most, that reading takes beside 64 MiB
};

inline void PrintTo(const LargeFile& file, std::ostream* out) { *out << file.name; }

/// One a format and a way to be large.
std::vector<LargeFile> large_files();

}  // namespace speclab::testing
