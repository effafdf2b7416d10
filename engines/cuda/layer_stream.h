#pragma once
// Layers that stand in pinned host memory and come to the device while those before them compute.

#include <cstdint>
#include <memory>
#include <vector>

#include "engines/cuda/device_memory.h"
#include "engines/cuda/kernels/product_arguments.h"

struct CUevent_st;

namespace speclab::engines::cuda {

struct DestroysEvent {
  void operator()(CUevent_st* event) const;
};
struct DestroysStream {
  void operator()(CUstream_st* stream) const;
};
using Event = std::unique_ptr<CUevent_st, DestroysEvent>;
using Stream = std::unique_ptr<CUstream_st, DestroysStream>;

/// A pass takes the layers in their order. Copies run in a stream of their own; events order them
/// and the kernels, so that a captured graph has both.
class LayerStream {
 public:
  /// @param blocks  of one size, in the order of the layers
  explicit LayerStream(std::vector<PinnedArray<std::uint16_t>> blocks);
  LayerStream(const LayerStream&) = delete;
  LayerStream& operator=(const LayerStream&) = delete;

  /// A pass begins: the first layers set out behind what stands in the context's stream.
  void begin(const LaunchContext& context) const;
  /// Kernels put into the context's stream from now on wait for the layer, and find it there.
  /// The first such kernel starts in turn: CUDA's manual does not say whether one that starts
  /// before the kernel in front has ended waits for an event.
  const std::uint16_t* take(std::size_t layer, const LaunchContext& context) const;
  /// No kernel put from now on reads the layer: another one takes its place.
  void give_back(std::size_t layer, const LaunchContext& context) const;

 private:
  static constexpr std::size_t kPlaces = 2;  ///< one in use, one on its way
  struct Place {
    DeviceArray<std::uint16_t> block;
    Event has_arrived, is_free;
  };

  const Place& place_of(std::size_t layer) const { return places_[layer % kPlaces]; }
  void set_out(std::size_t layer, const Event& behind) const;

  std::vector<PinnedArray<std::uint16_t>> blocks_;
  Place places_[kPlaces];
  Stream copies_;
  Event begun_;
};

}  // namespace speclab::engines::cuda
