#include "engines/cuda/layer_stream.h"

#include <cuda_runtime_api.h>

#include <algorithm>

#include "engines/cuda/cuda_errors.h"

namespace speclab::engines::cuda {
namespace {

Event new_event() {
  cudaEvent_t event = nullptr;
  check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "making an event");
  return Event(event);
}

Stream new_stream() {
  cudaStream_t stream = nullptr;
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "making a stream");
  return Stream(stream);
}

void record(const Event& event, CUstream_st* stream) {
  check(cudaEventRecord(event.get(), stream), "recording an event");
}

void wait_for(const Event& event, CUstream_st* stream) {
  check(cudaStreamWaitEvent(stream, event.get(), 0), "waiting for an event");
}

}  // namespace

void DestroysEvent::operator()(CUevent_st* event) const { cudaEventDestroy(event); }
void DestroysStream::operator()(CUstream_st* stream) const { cudaStreamDestroy(stream); }

LayerStream::LayerStream(std::vector<PinnedArray<std::uint16_t>> blocks)
    : blocks_(std::move(blocks)), copies_(new_stream()), begun_(new_event()) {
  for (Place& place : places_)
    place = {DeviceArray<std::uint16_t>(blocks_.front().size()), new_event(), new_event()};
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

void LayerStream::set_out(std::size_t layer, const Event& behind) const {
  const PinnedArray<std::uint16_t>& block = blocks_[layer];
  wait_for(behind, copies_.get());
  check(
      cudaMemcpyAsync(place_of(layer).block.data(), block.data(),
                      block.size() * sizeof(std::uint16_t), cudaMemcpyHostToDevice, copies_.get()),
      "copying a layer");
  record(place_of(layer).has_arrived, copies_.get());
}

}  // namespace speclab::engines::cuda
