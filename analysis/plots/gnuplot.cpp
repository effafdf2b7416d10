#include "analysis/plots/gnuplot.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>

#include "analysis/plots/gnuplot_script.h"
#include "analysis/plots/process.h"
#include "sim/core/errors.h"
#include "sim/core/files.h"

namespace speclab::analysis {
namespace {

constexpr std::array<std::string_view, 3> kFormats{".pdf", ".png", ".svg"};

/// Files drawn under a scratch name, put in place together; what was not put in place is removed.
class Drawing {
 public:
  Drawing(const std::string& folder, const std::string& id) : final_stem_(folder + "/" + id), stem_(folder + "/." + id + ".new") {}
  Drawing(const Drawing&) = delete;
  Drawing& operator=(const Drawing&) = delete;
  ~Drawing() {
    std::error_code none;
    for (const std::string_view format : kFormats) std::filesystem::remove(stem_ + std::string(format), none);
  }

  const std::string& stem() const { return stem_; }

  void put_in_place() const {
    for (const std::string_view format : kFormats) {
      const std::string path = final_stem_ + std::string(format);
      std::error_code error;
      std::filesystem::rename(stem_ + std::string(format), path, error);
      if (error) throw WriteError(path + ": " + error.message());
    }
  }

 private:
  std::string final_stem_, stem_;
};

/// The drawing programs return 0 when the disk is full. @param ending  stands near the end of every whole file of its kind
void expect_whole(const std::string& path, const std::string& ending) {
  constexpr std::size_t kTrailingBytes = 16;
  const std::string content = read_file(path);
  const std::size_t from = content.size() - std::min(content.size(), ending.size() + kTrailingBytes);
  if (content.find(ending, from) == std::string::npos) throw WriteError(path + ": cut short at " + std::to_string(content.size()) + " bytes; free space");
}

}  // namespace

void draw_static(const Figure& figure, const std::string& folder) {
  const Drawing drawing(folder, figure.id);
  const std::string& stem = drawing.stem();
  run_process({"gnuplot"}, gnuplot_script(figure, stem + ".pdf"));
  run_process({"pdftocairo", "-png", "-r", "150", "-singlefile", stem + ".pdf", stem}, "");
  run_process({"pdftocairo", "-svg", stem + ".pdf", stem + ".svg"}, "");
  expect_whole(stem + ".pdf", "%%EOF");
  expect_whole(stem + ".png", "IEND");
  expect_whole(stem + ".svg", "</svg>");
  drawing.put_in_place();
}

}  // namespace speclab::analysis
