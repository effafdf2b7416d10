#include "analysis/plots/gnuplot.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string_view>

#include "analysis/plots/gnuplot_script.h"
#include "sim/system/errors.h"
#include "sim/system/files.h"

extern char** environ;

namespace speclab::analysis {
namespace {

using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

/// An unnamed scratch file: unlike a pipe it cannot block, whatever the program reads or writes
/// first.
File scratch_file() {
  errno = 0;
  File file(std::tmpfile(), &std::fclose);
  if (!file) throw WriteError(std::string("cannot make a scratch file: ") + std::strerror(errno));
  return file;
}

void seek_to_begin(std::FILE* file) {
  if (std::fseek(file, 0, SEEK_SET) != 0)
    throw WriteError(std::string("cannot read a scratch file: ") + std::strerror(errno));
}

/// A full disk shows when the buffer goes to the file.
File scratch_file_with(const std::string& content) {
  File file = scratch_file();
  const bool written =
      std::fwrite(content.data(), 1, content.size(), file.get()) == content.size() &&
      std::fflush(file.get()) == 0;
  if (!written)
    throw WriteError(std::string("cannot write a scratch file: ") + std::strerror(errno) +
                     "; make room in the temporary folder");
  seek_to_begin(file.get());
  return file;
}

std::string content_of(std::FILE* file) {
  seek_to_begin(file);
  std::string content(2000, '\0');
  content.resize(std::fread(content.data(), 1, content.size(), file));
  return content;
}

/// Starts the program and waits. @return 0, or the error number if it could not be started;
/// `status` as of waitpid
int spawn_and_wait(const std::vector<std::string>& arguments, int input, int errors, int& status) {
  std::vector<char*> argv;
  for (const auto& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, errors, STDERR_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t process = 0;
  const int error = posix_spawnp(&process, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) return error;
  while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  return 0;
}

/// A file format, and what stands near the end of every whole file of it.
struct Format {
  std::string_view extension;
  std::string_view ending;
};

constexpr std::array<Format, 3> kFormats{{{".pdf", "%%EOF"}, {".png", "IEND"}, {".svg", "</svg>"}}};

/// The drawing programs return 0 when the disk is full.
void expect_whole(const std::string& path, std::string_view ending) {
  constexpr std::size_t kTrailingBytes = 16;
  const std::string content = read_file(path);
  const std::size_t from =
      content.size() - std::min(content.size(), ending.size() + kTrailingBytes);
  if (content.find(ending, from) == std::string::npos)
    throw WriteError(path + ": cut short at " + std::to_string(content.size()) +
                     " bytes; free space");
}

/// A new folder beside the places of the files to be drawn, which nobody else writes to, by a path
/// that no program takes for anything else.
/// @throws WriteError
std::string scratch_folder(const std::filesystem::path& file) {
  std::string folder =
      (std::filesystem::absolute(file).parent_path() / ".speclab-figure-XXXXXX").string();
  if (!::mkdtemp(folder.data()))
    throw WriteError(escaped(file.string(), 200) + ": cannot write: " + std::strerror(errno) +
                     "; choose a folder that exists and that you may write to");
  return folder;
}

/// Files drawn in a scratch folder beside their places, and put there when they are whole; what was
/// not is removed.
class Drawing {
 public:
  /// @param final_stem  path without the extension
  /// @param file  that is asked for, for messages
  Drawing(const std::filesystem::path& final_stem, const std::filesystem::path& file)
      : final_stem_(final_stem.string()),
        folder_(scratch_folder(file)),
        stem_(folder_ + "/figure") {}
  Drawing(const Drawing&) = delete;
  Drawing& operator=(const Drawing&) = delete;
  ~Drawing() {
    std::error_code none;
    std::filesystem::remove_all(folder_, none);
  }

  /// Draws the PDF, from which the others are made.
  void draw(const Figure& figure) const {
    run_process({"gnuplot"}, gnuplot_script(figure, stem_ + ".pdf"));
  }

  void make(const Format& format) const {
    if (format.extension == ".png")
      run_process({"pdftocairo", "-png", "-r", "150", "-singlefile", stem_ + ".pdf", stem_}, "");
    if (format.extension == ".svg")
      run_process({"pdftocairo", "-svg", stem_ + ".pdf", stem_ + ".svg"}, "");
    expect_whole(stem_ + std::string(format.extension), format.ending);
  }

  /// So that of several files none is replaced where one cannot be. @throws WriteError
  void expect_place(const Format& format) const {
    const std::string path = final_stem_ + std::string(format.extension);
    std::error_code none;
    if (std::filesystem::is_directory(path, none))
      throw WriteError(escaped(path, 200) + ": is a folder; choose another place, or remove it");
  }

  void put_in_place(const Format& format) const {
    const std::string extension(format.extension), path = final_stem_ + extension;
    std::error_code error;
    std::filesystem::rename(stem_ + extension, path, error);
    if (error)
      throw WriteError(escaped(path, 200) + ": " + error.message() +
                       "; choose a folder you may write to");
  }

 private:
  std::string final_stem_, folder_, stem_;
};

const Format& format_of(const std::filesystem::path& path) {
  const auto found =
      std::ranges::find(kFormats, path.extension().string(),
                        [](const Format& format) { return std::string(format.extension); });
  if (found == kFormats.end() || path.stem().empty())
    throw ConfigError("cannot draw '" + escaped(path.string(), 100) +
                      "'; allowed: a file name that ends in .pdf, .png or .svg");
  return *found;
}

}  // namespace

void run_process(const std::vector<std::string>& arguments, const std::string& input) {
  const File input_file = scratch_file_with(input);
  const File error_file = scratch_file();
  int status = 0;
  const int error =
      spawn_and_wait(arguments, fileno(input_file.get()), fileno(error_file.get()), status);
  if (error != 0)
    throw WriteError(arguments[0] + ": cannot start: " + std::strerror(error) +
                     "; scripts/setup installs it");
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    throw WriteError(arguments[0] + " failed: " + escaped(content_of(error_file.get()), 600));
  }
}

void draw_static(const Figure& figure, const std::string& folder) {
  const std::filesystem::path stem = std::filesystem::path(folder) / figure.id;
  const Drawing drawing(stem, stem.string() + ".pdf");
  for (const Format& format : kFormats) drawing.expect_place(format);
  drawing.draw(figure);
  for (const Format& format : kFormats) drawing.make(format);
  for (const Format& format : kFormats) drawing.put_in_place(format);
}

void expect_drawable(const std::string& path) { format_of(path); }

void draw_file(const Figure& figure, const std::string& path) {
  const Format& format = format_of(path);
  const Drawing drawing(std::filesystem::path(path).replace_extension(), path);
  drawing.draw(figure);
  drawing.make(format);
  drawing.put_in_place(format);
}

}  // namespace speclab::analysis
