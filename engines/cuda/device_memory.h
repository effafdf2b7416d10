#pragma once
// Memory of the device and host memory that it reads, owned.

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

namespace speclab::engines::cuda {

/// @throws DeviceError naming the bytes, if there are not so many left
void* allocate_device(std::size_t bytes);
void* allocate_pinned(std::size_t bytes);
void free_device(void* memory) noexcept;
void free_pinned(void* memory) noexcept;
/// All have happened when they return: the stream of a Device does not wait for them by itself.
/// @param source  host memory
void copy_to_device(void* target, const void* source, std::size_t bytes);
void copy_to_host(void* target, const void* source, std::size_t bytes);
void fill_zero(void* target, std::size_t bytes);

/// An array of the device, or of pinned host memory.
template <typename T, bool kPinned>
class CudaArray {
 public:
  CudaArray() = default;
  explicit CudaArray(std::size_t size)
      : data_(static_cast<T*>(kPinned ? allocate_pinned(size * sizeof(T))
                                      : allocate_device(size * sizeof(T)))),
        size_(size) {}
  CudaArray(CudaArray&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  CudaArray& operator=(CudaArray&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~CudaArray() { kPinned ? free_pinned(data_) : free_device(data_); }

  T* data() const { return data_; }
  std::size_t size() const { return size_; }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

template <typename T>
using DeviceArray = CudaArray<T, false>;
template <typename T>
using PinnedArray = CudaArray<T, true>;

template <typename T>
DeviceArray<T> zeros_on_device(std::size_t size) {
  DeviceArray<T> array(size);
  fill_zero(array.data(), size * sizeof(T));
  return array;
}

template <typename T>
DeviceArray<T> on_device(std::span<const T> values) {
  DeviceArray<T> array(values.size());
  copy_to_device(array.data(), values.data(), values.size_bytes());
  return array;
}

}  // namespace speclab::engines::cuda
