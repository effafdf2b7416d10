#include "analysis/plots/gnuplot.h"

#include <cstdio>

#include "analysis/plots/gnuplot_script.h"
#include "analysis/plots/process.h"
#include "sim/core/errors.h"

namespace speclab::analysis {

void draw_static(const Figure& figure, const std::string& folder) {
  const std::string stem = folder + "/" + figure.id;
  try {
    run_process({"gnuplot"}, gnuplot_script(figure, stem + ".pdf"));
    run_process({"pdftocairo", "-png", "-r", "150", "-singlefile", stem + ".pdf", stem}, "");
    run_process({"pdftocairo", "-svg", stem + ".pdf", stem + ".svg"}, "");
  } catch (const WriteError&) {
    for (const char* ending : {".pdf", ".png", ".svg"}) std::remove((stem + ending).c_str());
    throw;
  }
}

}  // namespace speclab::analysis
