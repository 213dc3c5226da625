// The names of results, for ops with more than one: how a function's body says
// which result an edge starts from. Facts of TensorFlow's op definitions.

#include "compiler/import/tensorflow/ResultNames.h"

#include "compiler/import/tensorflow/Graph.h"

#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace weir::tensorflow {

/// `Op result result*attribute ...`: a result with an attribute is as many
/// tensors as the attribute counts or lists.
static constexpr StringRef table = R"(
AllCandidateSampler sampled_candidates true_expected_count sampled_expected_count
BatchSelfAdjointEigV2 e v
BatchSvd s u v
BlockLSTM i cs f o ci co h
BlockLSTMV2 i cs f o ci co h
BroadcastGradientArgs r0 r1
CTCBeamSearchDecoder decoded_indices*top_paths decoded_values*top_paths decoded_shape*top_paths log_probability
CTCGreedyDecoder decoded_indices decoded_values decoded_shape log_probability
CTCLoss loss gradient
CTCLossV2 loss gradient
CombinedNonMaxSuppression nmsed_boxes nmsed_scores nmsed_classes valid_detections
ComputeAccidentalHits indices ids weights
DenseCountSparseOutput output_indices output_values output_dense_shape
DenseToDenseSetOperation result_indices result_values result_shape
DenseToSparseSetOperation result_indices result_values result_shape
Eig e v
FakeQuantWithMinMaxVarsGradient backprops_wrt_input backprop_wrt_min backprop_wrt_max
FakeQuantWithMinMaxVarsPerChannelGradient backprops_wrt_input backprop_wrt_min backprop_wrt_max
FixedUnigramCandidateSampler sampled_candidates true_expected_count sampled_expected_count
FractionalAvgPool output row_pooling_sequence col_pooling_sequence
FractionalMaxPool output row_pooling_sequence col_pooling_sequence
FusedBatchNorm y batch_mean batch_variance reserve_space_1 reserve_space_2
FusedBatchNormV2 y batch_mean batch_variance reserve_space_1 reserve_space_2
FusedBatchNormV3 y batch_mean batch_variance reserve_space_1 reserve_space_2 reserve_space_3
GRUBlockCell r u c h
GenerateBoundingBoxProposals rois roi_probabilities
IsotonicRegression output segments
LSTMBlockCell i cs f o ci co h
LearnedUnigramCandidateSampler sampled_candidates true_expected_count sampled_expected_count
ListDiff out idx
LogMatrixDeterminant sign log_abs_determinant
LogUniformCandidateSampler sampled_candidates true_expected_count sampled_expected_count
Lu lu p
MaxPoolWithArgmax output argmax
Merge output value_index
NearestNeighbors nearest_center_indices nearest_center_distances
NonMaxSuppressionV4 selected_indices valid_outputs
NonMaxSuppressionV5 selected_indices selected_scores valid_outputs
Qr q r
QuantizeAndDequantizeV4Grad input_backprop input_min_backprop input_max_backprop
QuantizeDownAndShrinkRange output output_min output_max
QuantizeV2 output output_min output_max
QuantizedAdd z min_z max_z
QuantizedAvgPool output min_output max_output
QuantizedBatchNormWithGlobalNormalization result result_min result_max
QuantizedBiasAdd output min_out max_out
QuantizedConcat output output_min output_max
QuantizedConv2D output min_output max_output
QuantizedConv2DAndRelu output min_output max_output
QuantizedConv2DAndReluAndRequantize output min_output max_output
QuantizedConv2DAndRequantize output min_output max_output
QuantizedConv2DPerChannel output min_output max_output
QuantizedConv2DWithBias output min_output max_output
QuantizedConv2DWithBiasAndRelu output min_output max_output
QuantizedConv2DWithBiasAndReluAndRequantize output min_output max_output
QuantizedConv2DWithBiasAndRequantize output min_output max_output
QuantizedConv2DWithBiasSignedSumAndReluAndRequantize output min_output max_output
QuantizedConv2DWithBiasSumAndRelu output min_output max_output
QuantizedConv2DWithBiasSumAndReluAndRequantize output min_output max_output
QuantizedDepthwiseConv2D output min_output max_output
QuantizedDepthwiseConv2DWithBias output min_output max_output
QuantizedDepthwiseConv2DWithBiasAndRelu output min_output max_output
QuantizedDepthwiseConv2DWithBiasAndReluAndRequantize output min_output max_output
QuantizedInstanceNorm y y_min y_max
QuantizedMatMul out min_out max_out
QuantizedMatMulWithBias out min_out max_out
QuantizedMatMulWithBiasAndRelu out min_out max_out
QuantizedMatMulWithBiasAndReluAndRequantize out min_out max_out
QuantizedMatMulWithBiasAndRequantize out min_out max_out
QuantizedMaxPool output min_output max_output
QuantizedMul z min_z max_z
QuantizedRelu activations min_activations max_activations
QuantizedRelu6 activations min_activations max_activations
QuantizedReluX activations min_activations max_activations
QuantizedReshape output output_min output_max
QuantizedResizeBilinear resized_images out_min out_max
RaggedCountSparseOutput output_indices output_values output_dense_shape
RaggedCross output_values output_row_splits
RaggedGather output_nested_splits*OUTPUT_RAGGED_RANK output_dense_values
RaggedRange rt_nested_splits rt_dense_values
RaggedTensorFromVariant output_nested_splits*output_ragged_rank output_dense_values
RaggedTensorToSparse sparse_indices sparse_values sparse_dense_shape
RefMerge output value_index
RefSwitch output_false output_true
RequantizationRange output_min output_max
RequantizationRangePerChannel output_min output_max
Requantize output output_min output_max
RequantizePerChannel output output_min output_max
SampleDistortedBoundingBox begin size bboxes
SampleDistortedBoundingBoxV2 begin size bboxes
SelfAdjointEigV2 e v
SoftmaxCrossEntropyWithLogits loss backprop
SparseAdd sum_indices sum_values sum_shape
SparseConcat output_indices output_values output_shape
SparseCountSparseOutput output_indices output_values output_dense_shape
SparseCross output_indices output_values output_shape
SparseCrossHashed output_indices output_values output_shape
SparseCrossV2 output_indices output_values output_shape
SparseFillEmptyRows output_indices output_values empty_row_indicator reverse_index_map
SparseFillEmptyRowsGrad d_values d_default_value
SparseReduceMaxSparse output_indices output_values output_shape
SparseReduceSumSparse output_indices output_values output_shape
SparseReorder output_indices output_values
SparseReshape output_indices output_shape
SparseSlice output_indices output_values output_shape
SparseSoftmaxCrossEntropyWithLogits loss backprop
SparseSparseMaximum output_indices output_values
SparseSparseMinimum output_indices output_values
SparseSplit output_indices*num_split output_values*num_split output_shape*num_split
SparseToSparseSetOperation result_indices result_values result_shape
StatelessRandomGetKeyCounter key counter
StatelessRandomGetKeyCounterAlg key counter alg
StatelessSampleDistortedBoundingBox begin size bboxes
Svd s u v
Switch output_false output_true
TensorArrayConcat value lengths
TensorArrayConcatV2 value lengths
TensorArrayConcatV3 value lengths
TensorArrayV3 handle flow
TensorListConcat tensor lengths
TensorListConcatV2 tensor lengths
TensorListPopBack output_handle tensor
ThreadUnsafeUnigramCandidateSampler sampled_candidates true_expected_count sampled_expected_count
TopK values indices
TopKUnique topk topk_indices
TopKV2 values indices
TopKWithUnique topk topk_indices
UniformCandidateSampler sampled_candidates true_expected_count sampled_expected_count
Unique y idx
UniqueV2 y idx
UniqueWithCounts y idx count
UniqueWithCountsV2 y idx count
XlaBroadcastHelper lhs_output rhs_output
XlaKeyValueSort sorted_keys sorted_values
XlaOptimizationBarrier output*T
XlaSelfAdjointEig w v
XlaSvd s u v
XlaVariadicReduce output*N
XlaVariadicReduceV2 outputs*T
XlaVariadicSort outputs*T
_ArrayToList output*out_types
_FusedBatchNormEx y batch_mean batch_variance reserve_space_1 reserve_space_2 reserve_space_3
_ListToArray output*N
)";

ArrayRef<StringRef> resultNames(StringRef op) {
  static const StringMap<SmallVector<StringRef>> byOp = [] {
    StringMap<SmallVector<StringRef>> result;
    SmallVector<StringRef> lines;
    table.split(lines, '\n', -1, false);
    for (StringRef line : lines) {
      auto [name, rest] = line.split(' ');
      rest.split(result[name], ' ');
    }
    return result;
  }();
  auto found = byOp.find(op);
  return found == byOp.end() ? ArrayRef<StringRef>() : found->second;
}

} // namespace weir::tensorflow
