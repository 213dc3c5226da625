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

/// Which variables of a model are for training to change.
class Trainable {
public:
  explicit Trainable(const SavedModelFile &model);

  /// Whether a variable is: by the object that the checkpoint's key leads to,
  /// by all objects of its name, or by the collection of the first version.
  /// True where the model does not say.
  bool has(llvm::StringRef name, llvm::StringRef key) const;

private:
  /// What the object graph says of the variable with a key in checkpoints.
  std::optional<bool> atKey(llvm::StringRef key) const;

  const ::tensorflow::MetaGraphDef *graph;
  /// Whether any object of the name is.
  llvm::StringMap<bool> byName;
  /// Names of the collection; none where there is no such collection.
  std::optional<llvm::StringSet<>> collected;
};

/// The variables of a checkpoint, found by the graph's own nodes that restore
/// them: of the one at `path`, or else of the SavedModel's own, which is opened
/// at the first use. Null after an error.
std::unique_ptr<VariableSource>
openVariables(Report &report, const SavedModelFile &model, const Graph &graph,
              Library &library, const std::string &path);

} // namespace weir::tensorflow

#endif // WEIR_COMPILER_IMPORT_TENSORFLOW_FILE_SAVEDMODEL_H
