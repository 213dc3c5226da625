// From a file's bytes to TensorFlow's messages.

#ifndef WEIR_COMPILER_IMPORT_TENSORFLOW_FILE_LOAD_H
#define WEIR_COMPILER_IMPORT_TENSORFLOW_FILE_LOAD_H

#include "compiler/import/Message.h"
#include "compiler/import/tensorflow/proto/saved_model.pb.h"

namespace weir::tensorflow {

/// What a file holds, told by its first bytes.
enum class FileKind { graph, savedModel, other };

/// A file that holds one message, binary or as text.
struct MessageFile {
  File file;
  bool text = false;
  FileKind kind = FileKind::other;
  /// It begins as no message of TensorFlow's usually does.
  bool isGuess = false;
};

mlir::FailureOr<MessageFile> recognize(Report &report, File file);

/// Reads the whole file into the message. Nothing may be left over, and the
/// limits on size and depth hold.
mlir::LogicalResult load(Report &report, const MessageFile &from,
                         google::protobuf::Message &message);

} // namespace weir::tensorflow

#endif // WEIR_COMPILER_IMPORT_TENSORFLOW_FILE_LOAD_H
