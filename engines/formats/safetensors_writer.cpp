#include "engines/formats/safetensors_writer.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "sim/core/errors.h"

namespace speclab::engines {
namespace {

constexpr std::size_t kAlignment = 8;
constexpr std::size_t kChunkElements = 1 << 16;

[[noreturn]] void fail(const std::string& path, const char* action) {
  throw WriteError(escaped(path) + ": " + action + " failed: " + std::strerror(errno) + "; check permission and free space");
}

/// A file that appears under its name only when it is whole and on the disk.
class AtomicFile {
 public:
  explicit AtomicFile(const std::string& path) : path_(path), temporary_(path + ".tmp." + std::to_string(::getpid())) {
    descriptor_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (descriptor_ < 0) fail(path_, "creating");
  }
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;
  ~AtomicFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
    if (!committed_) ::unlink(temporary_.c_str());
  }

  void write(std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
      const ssize_t count = ::write(descriptor_, bytes.data(), bytes.size());
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) fail(path_, "writing");
      bytes = bytes.subspan(static_cast<std::size_t>(count));
    }
  }

  void commit() {
    if (::fsync(descriptor_) != 0) fail(path_, "syncing");
    const int closed = ::close(descriptor_);
    descriptor_ = -1;
    if (closed != 0) fail(path_, "closing");
    if (::rename(temporary_.c_str(), path_.c_str()) != 0) fail(path_, "renaming");
    committed_ = true;
    sync_folder();
  }

 private:
  void sync_folder() const {
    const std::string parent = std::filesystem::absolute(path_).parent_path().string();
    const int folder = ::open(parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0) fail(parent, "opening");
    const int synced = ::fsync(folder);
    ::close(folder);
    if (synced != 0) fail(parent, "syncing");
  }

  std::string path_;
  std::string temporary_;
  int descriptor_ = -1;
  bool committed_ = false;
};

std::size_t bytes_of(const TensorToWrite& tensor) { return tensor.values.size() * (tensor.type == StoredType::float32 ? 4 : 2); }

/// Wider elements first, so that every tensor is aligned to its own type.
std::vector<const TensorToWrite*> ordered(std::span<const TensorToWrite> tensors) {
  std::vector<const TensorToWrite*> order;
  for (const TensorToWrite& tensor : tensors) order.push_back(&tensor);
  std::stable_partition(order.begin(), order.end(), [](const TensorToWrite* tensor) { return tensor->type == StoredType::float32; });
  return order;
}

std::string header_text(const std::vector<const TensorToWrite*>& order, const std::map<std::string, std::string>& metadata) {
  nlohmann::json header = nlohmann::json::object();
  if (!metadata.empty()) header["__metadata__"] = metadata;
  std::size_t begin = 0;
  for (const TensorToWrite* tensor : order) {
    std::int64_t elements = 1;
    for (const std::int64_t size : tensor->shape) elements *= size;
    SPECLAB_EXPECT(elements == static_cast<std::int64_t>(tensor->values.size()), "shape and values agree: " + tensor->name);
    SPECLAB_EXPECT(!header.contains(tensor->name), "each name once: " + tensor->name);
    const std::size_t end = begin + bytes_of(*tensor);
    header[tensor->name] = {{"dtype", tensor->type == StoredType::float32 ? "F32" : "BF16"}, {"shape", tensor->shape}, {"data_offsets", {begin, end}}};
    begin = end;
  }
  std::string text = header.dump();
  text.resize((text.size() + kAlignment - 1) / kAlignment * kAlignment, ' ');
  return text;
}

void write_values(AtomicFile& file, const TensorToWrite& tensor) {
  if (tensor.type == StoredType::float32) return file.write(std::as_bytes(tensor.values));
  std::vector<std::uint16_t> halves;
  for (std::size_t done = 0; done < tensor.values.size(); done += kChunkElements) {
    const auto chunk = tensor.values.subspan(done, std::min(kChunkElements, tensor.values.size() - done));
    halves.resize(chunk.size());
    std::transform(chunk.begin(), chunk.end(), halves.begin(), float_to_bfloat16);
    file.write(std::as_bytes(std::span(halves)));
  }
}

}  // namespace

void write_safetensors(const std::string& path, std::span<const TensorToWrite> tensors, const std::map<std::string, std::string>& metadata) {
  const auto order = ordered(tensors);
  const std::string header = header_text(order, metadata);
  const std::uint64_t length = header.size();
  AtomicFile file(path);
  file.write(std::as_bytes(std::span(&length, 1)));
  file.write(std::as_bytes(std::span(header)));
  for (const TensorToWrite* tensor : order) write_values(file, *tensor);
  file.commit();
}

std::uint16_t float_to_bfloat16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  if ((bits & 0x7FFFFFFFU) > 0x7F800000U) return static_cast<std::uint16_t>(bits >> 16 | 0x40U);
  return static_cast<std::uint16_t>((bits + 0x7FFFU + (bits >> 16 & 1U)) >> 16);
}

}  // namespace speclab::engines
