#include "analysis/plots/gnuplot.h"

#include <algorithm>
#include <cstdio>

#include "analysis/plots/gnuplot_script.h"
#include "analysis/plots/process.h"
#include "sim/core/errors.h"
#include "sim/core/files.h"

namespace speclab::analysis {

namespace {

/// The drawing programs return 0 when the disk is full. @param ending  stands near the end of every whole file of its kind
void expect_whole(const std::string& path, const std::string& ending) {
  constexpr std::size_t kTrailingBytes = 16;
  const std::string content = read_file(path);
  const std::size_t from = content.size() - std::min(content.size(), ending.size() + kTrailingBytes);
  if (content.find(ending, from) == std::string::npos) throw WriteError(path + ": cut short at " + std::to_string(content.size()) + " bytes; free space");
}

}  // namespace

void draw_static(const Figure& figure, const std::string& folder) {
  const std::string stem = folder + "/" + figure.id;
  try {
    run_process({"gnuplot"}, gnuplot_script(figure, stem + ".pdf"));
    run_process({"pdftocairo", "-png", "-r", "150", "-singlefile", stem + ".pdf", stem}, "");
    run_process({"pdftocairo", "-svg", stem + ".pdf", stem + ".svg"}, "");
    expect_whole(stem + ".pdf", "%%EOF");
    expect_whole(stem + ".png", "IEND");
    expect_whole(stem + ".svg", "</svg>");
  } catch (const WriteError&) {
    for (const char* ending : {".pdf", ".png", ".svg"}) std::remove((stem + ending).c_str());
    throw;
  }
}

}  // namespace speclab::analysis
