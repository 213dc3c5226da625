// From a model's file to a module of the graph dialect.

#ifndef WEIR_COMPILER_IMPORT_IMPORT_H
#define WEIR_COMPILER_IMPORT_IMPORT_H

#include "compiler/Diagnostics.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringMap.h"
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace weir {

class Instruments;

/// A tensor that the caller gives: `--feed=NAME[:DIMSxTYPE]`.
struct Feed {
  /// As written, without the type: `x`, `x:0`, `a/b:1`.
  std::string name;
  /// Null where the model says it.
  mlir::RankedTensorType type;
  /// Names of the type's dynamic dimensions; empty for static ones.
  llvm::SmallVector<std::string, 0> dimNames = {};
};

/// The dimensions of an input: `--shape=x=batch,3,?,320`.
struct GivenShape {
  /// ShapedType::kDynamic for a dynamic dimension.
  llvm::SmallVector<int64_t> sizes;
  /// As many; empty for those without a name.
  llvm::SmallVector<std::string, 0> names;

  GivenShape() = default;
  explicit GivenShape(llvm::ArrayRef<int64_t> sizes)
      : sizes(sizes), names(sizes.size()) {}
};

/// The sizes that a dimension of an input may have, both ends included.
struct DimRange {
  int64_t low = 0, high = 0;
};

/// Sizes of a dimension with a range for which there is code of their own:
/// `--specialize=batch:1,8`.
struct Specialization {
  /// As the range has it.
  std::string dim;
  /// Ascending.
  std::vector<int64_t> sizes;
};

/// A value that an input always has, which makes it a constant:
/// `--value=rate=16000`, `--value=sizes=1,2,3`, `--value=table=@FILE.npy`.
struct FixedValue {
  std::string input, text;
};

/// A further function: `--entry=NAME:FETCH,...;NODE,...`.
struct EntryRequest {
  std::string name;
  std::vector<std::string> fetches, targets;
};

/// The derivatives of the sum of a tensor's elements by others:
/// `--grad=LOSS:VAR,VAR`.
struct GradientRequest {
  std::string loss;
  std::vector<std::string> variables;
};

/// An input that is state: a variable, which the output becomes at the end of a
/// run: `--state=INPUT=OUTPUT`.
struct StateInput {
  std::string input, output;
};

/// The function of a model once more, with other ranges of dimensions:
/// `--variant=step:length=1`.
struct Variant {
  std::string name;
  /// As in ImportOptions::dims, whose ranges hold for all others.
  llvm::StringMap<DimRange> dims;
};

/// The initializer of variables without initial value in the model:
/// glorot_uniform, he_normal, zeros and so on.
struct Initializer {
  std::string kind;
  uint64_t seed = 0;
  /// A regular expression that their names match; empty: all of two dimensions
  /// or more.
  std::string variables;
};

/// What a loss is of.
struct LossRequest {
  /// The loss, or the output that is compared with labels.
  std::string output;
  /// A tensor of the model, or what the input is called that they become;
  /// empty where the output is the loss.
  std::string labels;
  /// Whether labels are the numbers of classes, i32, and not of the output's
  /// type and shape.
  bool hasClasses = false;
  /// The kind of the loss and its numbers, as `weir.training` has them.
  mlir::DictionaryAttr recipe = {};
};

/// A model to train: its loss, and which variables make it less.
struct TrainingRequest : LossRequest {
  /// Regular expressions that the names of variables match, or must not; empty
  /// for all and for none.
  std::string variables, frozen;
  /// The last one that is for a variable is its own.
  std::vector<Initializer> initializers = {{"glorot_uniform", 0, ""}};
};

/// A function outside of the model that computes an op: `--custom-op`.
struct CustomOp {
  /// `DOMAIN::OP`, or `OP` of ONNX's own domain or of TensorFlow's.
  std::string op;
  /// The attributes of `graph.custom` that the option sets.
  mlir::DictionaryAttr call;
};

struct ImportOptions {
  /// What the module has from the start, or null: by `weir.target` and
  /// `weir.gpu` constants are folded as that machine computes.
  mlir::DictionaryAttr attributes;
  /// A file or a SavedModel's directory.
  std::string path;
  /// A checkpoint that gives the variables of a graph their values, instead of
  /// its own: a path without an ending.
  std::string checkpoint;
  /// A SavedModel's signature; its only one, or `serving_default`, where empty.
  std::string signature;
  /// Each signature becomes an entry.
  bool allSignatures = false;
  /// Whether device configurations of ONNX models count.
  bool readsConfigurations = false;
  /// The device configuration; the only one of the model if not given. Empty:
  /// none, so that the model is for one rank.
  std::optional<std::string> configuration;
  /// The option that does not go with several ranks; empty: none is given.
  std::string refusesRanks;
  /// The tags of a SavedModel's graph.
  std::vector<std::string> tags = {"serve"};
  /// Partial execution: with either, a model's signatures play no part.
  std::vector<Feed> feeds;
  std::vector<std::string> fetches;
  /// Nodes that run besides.
  std::vector<std::string> targets;
  /// More functions of a graph: `NAME:FETCH,...[;NODE,...]`, with the feeds
  /// that they need.
  std::vector<std::string> entries;
  /// The command line without the ranges that it lacks, for messages that
  /// suggest one.
  std::string command;
  /// Dimensions of inputs with unknown shapes, by input.
  llvm::StringMap<GivenShape> shapes;
  /// Ranges of dimensions that are known only at run time, by the dimension's
  /// name in the model or in `shapes`, or by `INPUT.NUMBER`. A range of one
  /// size fixes the dimension.
  llvm::StringMap<DimRange> dims;
  /// More functions, each the model's with other ranges.
  std::vector<Variant> variants;
  /// Faster versions, of which a run takes the first that has room for it.
  /// Where nothing is said, and one dimension has a range, those of powers of
  /// two.
  std::optional<Specialization> specialization;
  /// Inputs that are constants instead.
  std::vector<FixedValue> values;
  /// Inputs that are variables instead. Their outputs are fetched where the
  /// options do not name the functions.
  std::vector<StateInput> states;
  /// What the entry `gradients` gives; none without any.
  std::vector<GradientRequest> gradients;
  /// The loss that gradients may be of, under the name `loss`.
  std::optional<LossRequest> loss;
  /// Adds the entry that the loss is of, and makes variables state.
  std::optional<TrainingRequest> training;
  /// Files with functions that define ops which weir does not know.
  std::vector<std::string> opFiles;
  /// Ops that functions outside of the model compute.
  std::vector<CustomOp> customOps;
  /// How many elements a tensor holds at most whose sizes depend on data and
  /// are bounded by nothing else: 1 Mi, which is 4 MiB of f32.
  int64_t boundedElements = int64_t(1) << 20;
  /// Called with each input, initializer or node whose tensor the device
  /// configuration divides among all ranks, and the dimension; may be null.
  std::function<void(llvm::StringRef name, int64_t dim)> onDivided = {};
  /// Called with each tensor of the model's own graph while it is imported; may
  /// be null. A tensor of dynamic shape has its largest sizes.
  std::function<void(llvm::StringRef tensor, mlir::Type type)> onTensor = {};
  /// Of a debugging library: what it has besides the model. Null for others.
  std::shared_ptr<Instruments> instruments = {};
};

/// The type of elements that is called so: `f32`, `i1`, `ui8`; null where
/// tensors have none such.
mlir::Type parseElement(mlir::MLIRContext *context, llvm::StringRef text);

/// Parses `x:0:2x3xf32`, `x:f32`, `x`; nothing where it is none of these.
std::optional<Feed> parseFeed(mlir::MLIRContext *context, llvm::StringRef text);
/// Parses `x=1x224x224x3`, `x=batchx?x3` and `x=batch,max_len,3` into the
/// options' shapes; false where it is none of these.
bool parseShape(llvm::StringRef text, ImportOptions &options);

/// Parses `batch=1..64` and `batch=4` into the options' ranges; false where it
/// is neither.
bool parseDim(llvm::StringRef text, ImportOptions &options);

/// Parses `step:length=1,past=0..1023` into the options' variants; false where
/// it is not that.
bool parseVariant(llvm::StringRef text, ImportOptions &options);

/// The options for a variant alone.
ImportOptions withVariant(const ImportOptions &options, const Variant &variant);

/// Parses `rate=16000`; false where it is not NAME=VALUE.
bool parseValue(llvm::StringRef text, ImportOptions &options);

/// Parses `batch:1,8`; false where it is not that.
bool parseSpecialization(llvm::StringRef text, ImportOptions &options);

/// Parses `c:x,y` and `c:0:x:0,y`; false where it is not that.
bool parseGradient(llvm::StringRef text, ImportOptions &options);

/// A module with one function an entry, or null after errors on the context's
/// diagnostic engine; `status` then says of which kind they were. All nodes
/// that weir does not support are reported at once.
mlir::OwningOpRef<mlir::ModuleOp> importModel(mlir::MLIRContext *context,
                                              const ImportOptions &options,
                                              Status &status);

} // namespace weir

#endif // WEIR_COMPILER_IMPORT_IMPORT_H
