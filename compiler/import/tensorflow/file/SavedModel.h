// A SavedModel's directory: the graph that its tags choose, and its variables.

#ifndef WEIR_COMPILER_IMPORT_TENSORFLOW_FILE_SAVEDMODEL_H
#define WEIR_COMPILER_IMPORT_TENSORFLOW_FILE_SAVEDMODEL_H

#include "compiler/import/File.h"
#include "compiler/import/tensorflow/Graph.h"
#include "compiler/import/tensorflow/proto/saved_model.pb.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

namespace weir::tensorflow {

class VariableSource;

struct SavedModelFile {
  File directory;
  ::tensorflow::SavedModel message;
  /// The chosen one of the message.
  ::tensorflow::MetaGraphDef *graph = nullptr;
};

/// Reads the directory's message and finds the graph with exactly these tags.
mlir::LogicalResult readSavedModel(Report &report, const std::string &path,
                                   llvm::ArrayRef<std::string> tags,
                                   SavedModelFile &model);

/// Checks that what the message says beside the graph refers to something: its
/// assets to files and nodes, its objects to each other.
mlir::LogicalResult checkReferences(Report &report, const SavedModelFile &model,
                                    const Graph &graph);

} // namespace weir::tensorflow

#endif // WEIR_COMPILER_IMPORT_TENSORFLOW_FILE_SAVEDMODEL_H
