#include "engines/cuda/layer_stream.h"

#include <cuda_runtime_api.h>

#include <algorithm>

#include "engines/cuda/cuda_errors.h"

namespace speclab::engines::cuda {
namespace {

CUevent_st* new_event() {
  cudaEvent_t event = nullptr;
  check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "making an event");
  return event;
}

void record(CUevent_st* event, CUstream_st* stream) {
  check(cudaEventRecord(event, stream), "recording an event");
}

void wait_for(CUevent_st* event, CUstream_st* stream) {
  check(cudaStreamWaitEvent(stream, event, 0), "waiting for an event");
}

}  // namespace

LayerStream::LayerStream(std::vector<PinnedArray<std::uint16_t>> blocks)
    : blocks_(std::move(blocks)) {
  for (Place& place : places_)
    place = {DeviceArray<std::uint16_t>(blocks_.front().size()), new_event(), new_event()};
  begun_ = new_event();
  check(cudaStreamCreateWithFlags(&copies_, cudaStreamNonBlocking), "making a stream");
}

LayerStream::~LayerStream() {
  for (const Place& place : places_) {
    cudaEventDestroy(place.has_arrived);
    cudaEventDestroy(place.is_free);
  }
  cudaEventDestroy(begun_);
  cudaStreamDestroy(copies_);
}

void LayerStream::begin(const LaunchContext& context) const {
  record(begun_, context.stream);
  for (std::size_t layer = 0; layer < std::min(kPlaces, blocks_.size()); ++layer)
    set_out(layer, begun_);
}

const std::uint16_t* LayerStream::take(std::size_t layer, const LaunchContext& context) const {
  wait_for(place_of(layer).has_arrived, context.stream);
  return place_of(layer).block.data();
}

void LayerStream::give_back(std::size_t layer, const LaunchContext& context) const {
  if (layer + kPlaces >= blocks_.size()) return;
  record(place_of(layer).is_free, context.stream);
  set_out(layer + kPlaces, place_of(layer).is_free);
}

void LayerStream::set_out(std::size_t layer, CUevent_st* behind) const {
  const PinnedArray<std::uint16_t>& block = blocks_[layer];
  wait_for(behind, copies_);
  check(cudaMemcpyAsync(place_of(layer).block.data(), block.data(),
                        block.size() * sizeof(std::uint16_t), cudaMemcpyHostToDevice, copies_),
        "copying a layer");
  record(place_of(layer).has_arrived, copies_);
}

}  // namespace speclab::engines::cuda
