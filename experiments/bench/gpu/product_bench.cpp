#include "experiments/bench/gpu/gpu_bench.h"

#include <cmath>
#include <cstring>
#include <map>
#include <optional>
#include <utility>

#include "engines/cuda/device_memory.h"
#include "engines/cuda/kernels.h"
#include "engines/cuda/kernels/ladder.h"
#include "experiments/bench/gpu/cublaslt.h"

namespace speclab::engines::cuda {
namespace {

constexpr std::int64_t kMostChecked =
    1 << 20;  ///< weights of a product that cuBLASLt's sums are compared on

struct ProductSize {
  std::string name;
  int out, in;
};

std::vector<ProductSize> products_of(const std::vector<CatalogueEntry>& shapes) {
  std::vector<ProductSize> products;
  for (const CatalogueEntry& entry : shapes) {
    const DecoderShape& c = *entry.shape;
    products.push_back({entry.name + " qkv", c.query_size() + 2 * c.kv_size(), c.hidden_size});
    products.push_back({entry.name + " attention output", c.hidden_size, c.query_size()});
    products.push_back({entry.name + " gate and up", 2 * c.intermediate_size, c.hidden_size});
    products.push_back({entry.name + " down", c.hidden_size, c.intermediate_size});
    products.push_back({entry.name + " head", c.vocab_size, c.hidden_size});
  }
  return products;
}

/// Weights of one product again and again, and what it reads and writes.
struct ProductMemory {
  Bench& bench;
  std::int64_t out, columns, elements, copies;
  DeviceArray<std::uint16_t> weights, input;
  DeviceArray<float> output;

  ProductMemory(Bench& owner, const ProductSize& size)
      : bench(owner),
        out((size.out + kTileRows - 1) / kTileRows * kTileRows),
        columns(size.in),
        elements(out * columns),
        copies(std::clamp<std::int64_t>(4 * owner.device.l2_bytes() / (2 * elements), 1,
                                        owner.sizes.is_tiny ? 2 : 400) +
               1),
        weights(static_cast<std::size_t>(copies * elements)),
        input(static_cast<std::size_t>(kMaxRows * columns)),
        output(static_cast<std::size_t>(kMaxRows * out)) {
    launch_random_weights(weights.data(), copies * elements, 1, bench.context());
    launch_random_weights(input.data(), kMaxRows * columns, 2, bench.context());
  }

  ProductArguments arguments(const DeviceArray<std::int32_t>& num_rows) const {
    ProductArguments a{};
    a.weights = weights.data();
    a.input = input.data();
    a.num_rows = num_rows.data();
    a.columns = static_cast<std::int32_t>(columns);
    a.blocks = static_cast<std::int32_t>(out / kTileRows);
    return a;
  }

  /// The rate at which weights are read, one product after the other in a graph. @param launch puts
  /// the product with the given copy of the weights
  Measured rate_of(const std::function<void(const void* weights)>& launch) const {
    const Graph chain(bench.context(), [&] {
      for (std::int64_t i = 0; i < copies; ++i) launch(weights.data() + i * elements);
    });
    return rate(scaled(bench.time([&] { chain.launch(bench.context()); }),
                       1.0 / static_cast<double>(copies)),
                2.0 * static_cast<double>(elements));
  }

  Measured rate_of(int rows, const std::function<void(const ProductArguments&)>& launch) const {
    const auto num_rows = on_device<std::int32_t>(std::span(&rows, 1));
    ProductArguments a = arguments(num_rows);
    return rate_of([&](const void* weights_of_copy) {
      a.weights = weights_of_copy;
      launch(a);
    });
  }

  /// The first copy of the weights, as a library takes them.
  DeviceArray<std::uint16_t> weights_in_rows() const {
    std::vector<std::uint16_t> packed(static_cast<std::size_t>(elements)), in_rows(packed.size());
    check(cudaMemcpyAsync(packed.data(), weights.data(), packed.size() * 2, cudaMemcpyDeviceToHost,
                          bench.context().stream),
          "copying weights");
    bench.device.synchronize();
    for (std::int64_t row = 0; row < out; ++row)
      for (std::int64_t column = 0; column < columns; ++column)
        in_rows[static_cast<std::size_t>(row * columns + column)] =
            packed[static_cast<std::size_t>(packed_index(row, column, columns))];
    return on_device<std::uint16_t>(in_rows);
  }

  /// The sums of one product, over a poisoned output.
  std::vector<float> sums(int rows,
                          const std::function<void(const ProductArguments&)>& launch) const {
    const auto num_rows = on_device<std::int32_t>(std::span(&rows, 1));
    const auto count = static_cast<std::size_t>(rows * out);
    const std::vector<float> poison(count, std::nanf(""));
    copy_to_device(output.data(), poison.data(), count * sizeof(float));
    launch(arguments(num_rows));
    std::vector<float> found(count);
    check(cudaMemcpyAsync(found.data(), output.data(), count * sizeof(float),
                          cudaMemcpyDeviceToHost, bench.context().stream),
          "copying sums");
    bench.device.synchronize();
    return found;
  }
};

/// Rates of a variant at a number of rows, over all products.
using LadderRates = std::map<std::pair<std::string, int>, std::vector<double>>;

class Ladder {
 public:
  Ladder(Bench& bench, const CublasLt* rival) : bench_(bench), rival_(rival) {}

  void measure(const ProductSize& size) {
    const ProductMemory memory(bench_, size);
    for (const int rows : bench_.sizes.ladder_rows()) {
      for (const LadderVariant& variant : product_ladder())
        if (variant.most_rows == (rows + 7) / 8 * 8 && variant.has_room(size.in))
          measure(memory, size, variant, rows);
      if (rival_ == nullptr) continue;
      if (const auto best = rival_rate(memory, rows))
        add("ladder V9: best of cuBLASLt", size, rows, *best);
    }
  }

  void add_means() {
    for (const auto& [key, rates] : rates_) {
      double logarithms = 0;
      for (const double each : rates) logarithms += std::log(each);
      const auto [least, most] = std::minmax_element(rates.begin(), rates.end());
      bench_.rows.add("mean of " + key.first, "all products", key.second, "GB/s",
                      {std::exp(logarithms / static_cast<double>(rates.size())), *least, *most,
                       static_cast<int>(rates.size())});
    }
    if (!wrong_.empty()) throw DeviceError("CUDA: other sums than V0's: " + wrong_);
  }

 private:
  void measure(const ProductMemory& memory, const ProductSize& size, const LadderVariant& variant,
               int rows) {
    const std::string name = fmt::format("ladder {}: {}", variant.rung, variant.description);
    const auto launch = [&](const ProductArguments& a) {
      variant.launch(a, memory.output.data(), bench_.context());
    };
    if (variant.is_exact && variant.order == TileOrder::by_block)
      compare(name, size, rows, memory.sums(rows, launch));
    add(name, size, rows, memory.rate_of(rows, launch));
  }

  /// With the sums of V0, which come first.
  void compare(const std::string& name, const ProductSize& size, int rows,
               std::vector<float> sums) {
    if (name.starts_with("ladder V0"))
      expected_ = std::move(sums);
    else if (std::memcmp(sums.data(), expected_.data(), sums.size() * sizeof(float)) != 0)
      wrong_ +=
          fmt::format("{}{} of {} at {} rows", wrong_.empty() ? "" : "; ", name, size.name, rows);
  }

  void add(const std::string& name, const ProductSize& size, int rows,
           const Measured& rate_of_product) {
    bench_.rows.add(name, size.name, rows, "GB/s", rate_of_product);
    rates_[{name, rows}].push_back(rate_of_product.median);
  }

  /// Nothing if no algorithm is left: one that the library refuses or that sums wrongly is left
  /// out.
  std::optional<Measured> rival_rate(const ProductMemory& memory, int rows) const {
    const RivalProduct product(*rival_, static_cast<int>(memory.out),
                               static_cast<int>(memory.columns), rows);
    std::optional<Measured> best;
    for (int i = 0; i < product.num_algorithms(); ++i) {
      const auto launch = [&](const void* weights) {
        product.launch(i, weights, memory.input.data(), memory.output.data(), bench_.context());
      };
      try {
        if (!sums_right(memory, rows, launch)) continue;
        const Measured found = memory.rate_of(launch);
        if (!best || found.median > best->median) best = found;
      } catch (const DeviceError& error) {
        std::fprintf(stderr, "ladder V9, algorithm %d: %s\n", i, error.what());
      }
    }
    return best;
  }

  /// Checked where the weights are few enough to be put in the order of rows on the host.
  bool sums_right(const ProductMemory& memory, int rows,
                  const std::function<void(const void* weights)>& launch) const {
    if (memory.elements > kMostChecked) return true;
    const DeviceArray<std::uint16_t> in_rows = memory.weights_in_rows();
    const std::vector<float> sums =
        memory.sums(rows, [&](const ProductArguments&) { launch(in_rows.data()); });
    double difference = 0, norm = 0;
    for (std::size_t i = 0; i < sums.size(); ++i) {
      const double expected = static_cast<double>(expected_[i]),
                   off = static_cast<double>(sums[i]) - expected;
      difference += off * off;
      norm += expected * expected;
    }
    return difference <= 1e-8 * norm;  // float32 sums of the same products differ by some 1e-6
  }

  Bench& bench_;
  const CublasLt* rival_;
  LadderRates rates_;
  std::vector<float> expected_;
  std::string wrong_;
};

}  // namespace

void measure_products(Bench& bench, const std::vector<CatalogueEntry>& shapes) {
  for (const ProductSize& size : products_of(shapes)) {
    const ProductMemory memory(bench, size);
    const DeviceArray<BestLogit> best(static_cast<std::size_t>(kMaxRows * memory.out / kTileRows));
    for (const int rows : bench.sizes.rows())
      bench.rows.add(
          "product", size.name, rows, "GB/s", memory.rate_of(rows, [&](const ProductArguments& a) {
            launch_head(a, memory.output.data(), best.data(), size.out, rows, bench.context());
          }));
  }
}

void measure_ladder(Bench& bench, const std::vector<CatalogueEntry>& shapes) {
  const auto rival = CublasLt::open();
  if (!rival) std::fputs("ladder: no working cuBLASLt is here, so V9 has no rows\n", stderr);
  Ladder ladder(bench, rival ? &*rival : nullptr);
  for (const ProductSize& size : products_of(shapes)) ladder.measure(size);
  ladder.add_means();
}

}  // namespace speclab::engines::cuda
