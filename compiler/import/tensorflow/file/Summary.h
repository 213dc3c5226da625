// What `weir inspect` says of a graph, without tracing it.

#ifndef WEIR_COMPILER_IMPORT_TENSORFLOW_FILE_SUMMARY_H
#define WEIR_COMPILER_IMPORT_TENSORFLOW_FILE_SUMMARY_H

#include "compiler/import/tensorflow/Frontend.h"
#include "compiler/import/tensorflow/Graph.h"
#include "compiler/inspect/Summary.h"

#include "compiler/import/tensorflow/Library.h"
#include "compiler/import/tensorflow/proto/saved_model.pb.h"

#include <map>
#include <string>

namespace weir::tensorflow {

class VariableSource;

/// `tensor<1x4xf32>` for people: `1x4xf32`, unknown sizes as `?`. `shape` may
/// be null.
std::string typeText(Report &report,
                     const ::tensorflow::TensorShapeProto *shape, int dataType);

/// The inputs and outputs of a graph that has no signatures.
void summarizePlaceholders(Report &report, const Graph &graph,
                           ModelSummary &summary);
void listNodes(const Graph &graph, ModelSummary &summary);
/// The Const nodes, of functions too, and the variables.
void summarizeWeights(Report &report, ::tensorflow::GraphDef &def,
                      VariableSource *variables, bool wantsValues,
                      ModelSummary &summary);
/// `saved` is null where the graph is a file of its own.
void summarizeOrigin(const ::tensorflow::GraphDef &def,
                     const ::tensorflow::MetaGraphDef *saved,
                     ModelSummary::Origin &origin);

/// How many nodes of each op these results need, those of functions that are
/// called among them.
std::map<std::string, int64_t> neededOps(Report &report, const Graph &graph,
                                         Library &library,
                                         llvm::ArrayRef<Edge> wanted);

/// The variables of a checkpoint alone, `prefix`.index and its shards.
std::optional<ModelSummary> summarizeCheckpoint(Report &report,
                                                const std::string &prefix);

} // namespace weir::tensorflow

#endif // WEIR_COMPILER_IMPORT_TENSORFLOW_FILE_SUMMARY_H
