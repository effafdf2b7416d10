#pragma once
// Any decoder on the CPU: packed weights, own kernels, one parallel region a forward. Every row's
// result is bit-equal whatever rows are beside it, so plain decoding, verification of chains and
// trees, and batches agree exactly.

#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

#include "engines/cpu/kernels.h"
#include "engines/cpu/kv_cache_cpu.h"
#include "engines/cpu/matrix_forms.h"
#include "engines/cpu/number_forms.h"
#include "engines/cpu/packed_matrix.h"
#include "engines/cpu/rotation_table.h"
#include "engines/cpu/row_reader.h"
#include "engines/cpu/stream_plan.h"
#include "engines/cpu/streamed_columns.h"
#include "engines/cpu/thread_team.h"
#include "engines/interface/language_model.h"
#include "engines/models/decoder_weights.h"

namespace speclab::engines::cpu {

class DecoderCpu final : public LanguageModel {
 public:
  /// @param numbers  of weights and activations at the products, and of the cache; sums, norms and
  /// attention are float32
  /// @param kernels  one of runnable_kernels(); the best where tests do not choose
  DecoderCpu(const DecoderShape& config, const DecoderWeights& weights, const NumberForms& numbers,
             std::shared_ptr<ThreadTeam> team, const CpuKernels* kernels = best_kernels());

  /// Bytes of memory at the highest point of loading: packed weights, and float32 values of the
  /// tables, then of one layer a thread.
  static std::int64_t bytes_to_load(const DecoderShape& shape, const DecoderWeights& weights,
                                    const NumberForms& numbers, int num_threads);

  /// The info of a model loaded so. It reads no weights but for the digest.
  static ModelInfo describe(const DecoderShape& shape, const DecoderWeights& weights,
                            const NumberForms& numbers, const CpuKernels* kernels = best_kernels());

  const ModelInfo& info() const override { return info_; }
  std::unique_ptr<KvCache> make_cache(std::int32_t max_sequences, std::int32_t capacity) override;
  ForwardResult forward(std::span<const ForwardRow> rows, KvCache& cache) override;

 private:
  /// Sizes in whole vectors.
  struct Widths {
    explicit Widths(const DecoderShape& shape);
    std::int32_t hidden, table, head, query, key, inner, expert;
  };
  /// A product and its bias, in the order of the matrix's columns; empty: none.
  struct Linear {
    PackedMatrix matrix;
    std::vector<float> bias{};
    PackedMatrix expanded{};  ///< the same numbers for many rows; empty: none
  };
  struct Norm {
    std::vector<float> weight, bias;  ///< weight empty: there is no norm
    bool is_there() const { return !weight.empty(); }
  };
  struct HeadNorms {
    Norm query, key;
  };
  struct Experts {
    Linear router;
    std::vector<Linear> first, down;  ///< gate and up, or up alone; one an expert
  };
  struct Layer {
    Norm attention_norm, attention_output_norm, feed_forward_norm, feed_forward_output_norm;
    HeadNorms head_norms;
    Linear query_key_value, attention_output, first, down;  ///< first: gate and up, or up alone
    Experts experts;
  };
  struct HeadTask {
    int row, out_row;  ///< in the forward, in the attended rows
    int head;
  };
  /// Rows of a forward that an expert was chosen for, one behind the other in the slots.
  struct ExpertTask {
    std::int32_t expert;
    int first_slot, num_slots;
  };
  struct Scratch {  ///< of one thread
    std::vector<float> scores, weighted, head;
    HugeBuffer block;           ///< one block of low-bit columns, expanded
    HugeBuffer made;            ///< one block of streamed columns
    std::vector<float> values;  ///< of one of them
  };
  /// Places of a streamed layer's matrices in its piece.
  struct StreamedLayer {
    RolePlaces places;
    const StreamPiece* piece;
    int number;
  };
  /// Weights and forms of a model that is being loaded.
  struct Loading {
    const DecoderWeights& weights;
    MatrixForms forms;
    const StreamedLayer* streamed = nullptr;  ///< null: the matrices are read
  };
  /// Blocks of the head that stand in one piece of the stream.
  struct HeadPiece {
    int first_block, num_blocks;
  };
  /// Rows of activations as the kernels of a matrix read them.
  struct ProductRows {
    const char* x;
    std::int64_t stride;     ///< MultiplyArgs::x_stride
    std::int64_t row_bytes;  ///< from one row to the next
  };

  /// Calls work(range) on this thread for its part of [0, count). Few rows are cut once, so that
  /// every thread streams one stretch of weights; many are dealt in grains as threads come for
  /// them, so that none waits for one that was held up.
  template <typename Work>
  void deal(int rank, int rows, int count, int grain, const Work& work) {
    constexpr int kManyRows = 32;
    if (rows < kManyRows) return work(share(count, rank, team_->size()));
    for (int begin; (begin = team_->take() * grain) < count;)
      work(Range{begin, std::min(begin + grain, count)});
  }

  class LoadingMemory;

  /// Nothing if all weights are to stay.
  static std::optional<StreamPlan> stream_plan(const DecoderShape& shape,
                                               const DecoderWeights& weights,
                                               const NumberForms& numbers);

  std::vector<const Linear*> probed_products() const;
  double seconds_of_products(std::span<const Linear* const> products, int rows,
                             PackedMatrix Linear::* form);
  /// Most rows whose products take less time on low-bit weights than on expanded ones.
  int most_low_bit_rows();

  void load(const DecoderWeights& weights);
  void load_streamed(const Loading& from, const StreamPlan& plan);
  void open_head(const Loading& from, const StreamPlan& plan, std::span<const StreamPiece> pieces);
  PackedMatrix streamed_matrix(const Loading& from, std::span<const TensorRole> roles,
                               std::vector<PackedMatrix::Part> parts,
                               StreamedColumns::Order order) const;
  void load_expanded(const DecoderWeights& weights);
  void load_tables(const Loading& from);
  void load_vocabulary(const Loading& from);
  Layer load_layer(const Loading& from, std::int32_t layer) const;
  void load_attention(const Loading& from, std::int32_t layer, Layer& loaded) const;
  PackedMatrix load_query_key_value(const Loading& from, std::int32_t layer) const;
  std::vector<float> read_heads(const DecoderWeights& weights, TensorRole role, std::int32_t layer,
                                std::int64_t width) const;
  void load_experts(const Loading& from, std::int32_t layer, Experts& experts) const;
  void load_expert_firsts(const Loading& from, std::int32_t layer, Experts& experts) const;
  void load_expert_downs(const Loading& from, std::int32_t layer, Experts& experts) const;
  PackedMatrix first_product(WeightForm form, std::vector<float> gate, std::vector<float> up,
                             std::int32_t size) const;
  PackedMatrix first_product(WeightForm form, StoredRows gate, StoredRows up,
                             std::int32_t size) const;
  Linear load_first(const Loading& from, std::int32_t layer) const;
  Norm load_norm(const DecoderWeights& weights, TensorRole weight, TensorRole bias,
                 std::int32_t layer) const;
  Linear load_linear(const Loading& from, TensorRole weight, TensorRole bias, std::int32_t layer,
                     std::int32_t columns, std::int32_t depth) const;
  std::int64_t bytes_read(const Layer& layer) const;
  /// Bytes of the matrices that a forward of one row reads, by their sizes alone.
  static std::int64_t bytes_of_a_row(const DecoderShape& shape, const MatrixForms& forms);
  std::int64_t bytes_of_a_row() const;

  void reach_rotations();
  void reserve(std::size_t rows);
  void reserve_experts(std::size_t rows);
  void reserve_product_rows(std::size_t rows);
  void run_layers(int rank);
  void run_layer(int rank, std::int32_t layer);
  void run_streamed_layer(int rank, std::int32_t layer);
  void run_attention(int rank, std::int32_t layer, int going_on);
  void run_feed_forward(int rank, const Layer& layer, int rows);
  void add_block(int rank, const Linear& linear, const void* in, const Norm& output_norm, int rows);
  void run_experts(int rank, const Layer& layer, int rows);
  void route_rows(int rank, const Experts& experts, int rows);
  void choose_experts(int row, int num_experts);
  void plan_experts(int rows);
  void gather_slots(int rank);
  /// The slots' product with the matrices of their experts.
  /// @param x  in the products' element type
  void multiply_experts(int rank, const std::vector<Linear>& products, std::vector<float>& x,
                        void* out, std::int64_t out_stride, Epilogue epilogue);
  void mix_experts(int rank, int rows);
  bool adds_in_product(const Norm& output_norm) const;
  void finish_block(int rank, const Norm& output_norm, int rows);
  void choose_rows();
  void keep_rows_going_on();
  void embed(int rank);
  void read_embedding(std::size_t row, float* out) const;
  void read_streamed_embeddings();
  void project_embedding(int rank);
  void add_positions(int rank);
  void fuse(int rank);
  void norm_rows(int rank, int rows, const Norm& norm, std::vector<float>& out);
  NormArgs norm_args(const Norm& norm, std::int32_t size) const;
  void multiply(int rank, const Linear& linear, const void* x, int rows, void* out,
                std::int64_t out_stride, Epilogue epilogue);
  void multiply(int rank, const PackedMatrix& matrix, const std::vector<float>& bias, const void* x,
                int rows, void* out, std::int64_t out_stride, Epilogue epilogue);
  MultiplyArgs product_args(const PackedMatrix& matrix, const std::vector<float>& bias,
                            const ProductRows& x, int rows, void* out, std::int64_t out_stride,
                            Epilogue epilogue) const;
  /// The form of a product's weights for so many rows.
  const PackedMatrix& form_for(const Linear& linear, int rows) const {
    return linear.expanded.columns() > 0 && rows > low_bit_rows_ ? linear.expanded : linear.matrix;
  }
  /// Puts `rows` rows of activations into the order that the matrix's kernels read; all threads
  /// meet behind it where that takes work.
  /// @param x  [rows, depth] in the element type of activations
  ProductRows product_rows(int rank, const PackedMatrix& matrix, const void* x, int rows);
  /// @param args  of the whole matrix, with the blocks to run
  void run_product(int rank, const PackedMatrix& matrix, const MultiplyArgs& args);
  void run_part(int rank, const PackedMatrix& matrix, const PackedMatrix::PlacedPart& part,
                MultiplyArgs args);
  void run_form(const MultiplyArgs& args);
  /// One block of columns after the other: made, expanded, or both.
  void run_blocks(int rank, const PackedMatrix& matrix, MultiplyArgs args, bool expands);
  static const char* made_block(Scratch& scratch, const PackedMatrix& matrix, WeightForm form,
                                int block);
  std::size_t bytes_of_deepest_block(int bytes_a_weight) const;
  Epilogue first_epilogue() const { return config_.gated ? Epilogue::gate : Epilogue::activate; }

  std::int64_t projected_width() const { return widths_.query + 2 * widths_.key; }
  void rotate_and_store(int rank, std::int32_t layer);
  void norm_head(const HeadNorms& norms, int head, float* values) const;
  void norm_all_heads(int rank, const HeadNorms& norms);
  void attend(int rank, std::int32_t layer, bool is_last);
  void attend_range(int rank, std::int32_t layer, bool is_last, Range range);
  void attend_heads(int rank, std::int32_t layer, std::span<const HeadTask> tasks);
  const PlacedRow& placed(int row) const;
  std::int32_t kv_head(int head) const;
  bool same_keys(const HeadTask& a, const HeadTask& b) const;
  AttendQuery query_of(const HeadTask& task, std::int32_t window, float* weighted) const;
  void compute_outputs(int rank);
  void project_outputs(int rank);
  void project_streamed(int rank, const Linear& head, int rows);
  void copy_hidden(int rank);
  /// @param place  among the states of a row, the last one's being 0
  void copy_stream(int rank, std::int32_t place);
  void keep_logit_rows();
  void scale_logits(int rank);
  ForwardResult result() const;
  void* activation(std::vector<float>& buffer, std::int64_t index);
  float* stream(std::int64_t row) { return x_.data() + row * widths_.hidden; }

  DecoderShape config_;
  Widths widths_;
  std::vector<std::int32_t> state_layers_;
  NumberForms numbers_;
  ElementType type_;  ///< of activations between products
  std::shared_ptr<ThreadTeam> team_;
  const CpuKernels* kernels_;
  ModelInfo info_;
  Linear embedding_, head_, fusion_, embedding_projection_, output_projection_;
  std::vector<float> position_embedding_;  ///< [context + offset, hidden in whole vectors]
  Norm output_norm_, embedding_norm_, feature_norm_;
  std::vector<Layer> layers_;
  std::shared_ptr<WeightStream> stream_;     ///< null: all weights are in memory
  std::int32_t first_streamed_ = 0;          ///< layer; those before are in memory
  std::vector<HeadPiece> head_pieces_;       ///< behind the layers in the stream
  bool rounds_embedding_ = false;            ///< to bfloat16: exact products see expanded values
  std::optional<RowReader> embedding_rows_;  ///< there if the table stays in its file
  RotationTable global_rotation_, window_rotation_;
  std::int64_t deepest_ = 0;  ///< depth of the deepest product
  int low_bit_rows_ = 0;      ///< most rows that low-bit weights take where both forms are there

  std::span<const ForwardRow> rows_;  ///< of the running forward
  KvCacheCpu* cache_ = nullptr;
  std::vector<std::int32_t> going_on_;  ///< rows that want logits or a hidden state: the last layer
                                        ///< ends for the others with their keys
  std::vector<std::int32_t> logit_rows_, hidden_rows_;  ///< indices into going_on_
  std::vector<float> embedded_;  ///< [rows, table] where the table stays in its file
  std::vector<float> x_, projected_, normed_, attended_, inner_, block_, table_rows_, logits_,
      hidden_;
  std::vector<float> router_logits_, expert_in_, expert_inner_, expert_out_;
  std::vector<std::int32_t> chosen_;   ///< [rows, experts_per_token], rising
  std::vector<float> chosen_weights_;  ///< likewise
  std::vector<ExpertTask> expert_tasks_;
  std::vector<std::int32_t> slot_rows_;      ///< row of every slot
  std::vector<std::int32_t> slots_of_rows_;  ///< [rows, experts_per_token]
  std::vector<BFloat16Group> product_rows_;  ///< room for the rows of one product
  std::vector<Scratch> scratch_;
};

}  // namespace speclab::engines::cpu
