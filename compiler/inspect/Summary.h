// Frontends summarize a model's file for `weir inspect`.

#ifndef WEIR_COMPILER_INSPECT_SUMMARY_H
#define WEIR_COMPILER_INSPECT_SUMMARY_H

#include "compiler/import/Import.h"

#include "mlir/IR/BuiltinAttributes.h"

namespace weir {

struct ModelSummary {
  struct Tensor {
    std::string name, tensor, type;
    /// Sizes, and names of dynamic dimensions; empty where the model names no
    /// dimension.
    std::vector<std::string> dims = {};
    /// The type of the elements, where there are `dims`.
    std::string element = {};
  };
  struct Signature {
    std::string name;
    std::vector<Tensor> inputs, outputs;
  };
  std::string kind;
  std::vector<Signature> signatures;
  /// How many nodes of each op there are, functions included.
  std::vector<std::pair<std::string, int64_t>> ops;
  /// The ops among them that weir has no import for.
  std::vector<std::string> unsupported;
  struct Node {
    std::string name, op;
    std::vector<Tensor> results;
    /// The tensors that it reads; empty names where one is left out.
    std::vector<std::string> inputs = {};
  };
  /// Those of the graph itself, for `inspect --nodes`.
  std::vector<Node> nodes = {};
  /// Of a checkpoint alone.
  std::vector<Tensor> variables = {};

  /// A constant or a variable of the model.
  struct Weight {
    std::string name;
    /// `3x4xf32`, and the type of the elements alone.
    std::string type, element;
    int64_t elements = 0, bytes = 0;
    /// Its elements, where the summary has the values; null where weir has no
    /// such type.
    mlir::ElementsAttr value = {};
  };
  std::vector<Weight> weights = {};

  /// Who wrote the file, and in which version of the format; empty or 0 where
  /// the file does not say.
  struct Origin {
    std::string producer, producerVersion, domain, description;
    int64_t irVersion = 0, modelVersion = 0;
    /// Versions of ops, by domain; ONNX's own domain is `ai.onnx`.
    std::vector<std::pair<std::string, int64_t>> opsets;
    std::vector<std::pair<std::string, std::string>> metadata;
    /// Of a GraphDef: the version that wrote it, and the oldest that reads it.
    int64_t graphVersion = 0, oldestReader = 0;
    /// Of a SavedModel.
    std::string tensorflow;
    std::vector<std::string> tags;
  };
  Origin origin = {};
};

/// Nothing after errors on the context's diagnostic engine. `wantsValues` reads
/// the elements of weights, too.
std::optional<ModelSummary> summarizeModel(mlir::MLIRContext *context,
                                           const ImportOptions &options,
                                           bool wantsValues, Status &status);

} // namespace weir

#endif // WEIR_COMPILER_INSPECT_SUMMARY_H
