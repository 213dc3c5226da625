// Which variables of a SavedModel are for training to change.

#ifndef WEIR_COMPILER_IMPORT_TENSORFLOW_FILE_TRAINABLE_H
#define WEIR_COMPILER_IMPORT_TENSORFLOW_FILE_TRAINABLE_H

#include "compiler/import/tensorflow/file/SavedModel.h"

namespace weir::tensorflow {

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

} // namespace weir::tensorflow

#endif // WEIR_COMPILER_IMPORT_TENSORFLOW_FILE_TRAINABLE_H
