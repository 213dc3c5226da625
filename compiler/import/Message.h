// From a file's bytes to a protocol buffer, for every frontend.

#ifndef WEIR_COMPILER_IMPORT_MESSAGE_H
#define WEIR_COMPILER_IMPORT_MESSAGE_H

#include "compiler/import/File.h"

namespace google::protobuf {
class Message;
} // namespace google::protobuf

namespace weir {

/// Whether a file that begins with these bytes holds its message as text.
bool isText(llvm::StringRef head);
/// The first word of a text, behind its comments: the name of a field.
llvm::StringRef firstWord(llvm::StringRef text);

/// Reads the whole file into the message. Nothing may be left over, and the
/// limits on size and depth hold. `whose` names the format in errors.
mlir::LogicalResult loadMessage(Report &report, const File &file, bool text,
                                llvm::StringRef whose,
                                google::protobuf::Message &message);

/// Parses bytes that lie in memory, such as an entry of a checkpoint's index.
bool parseMessage(llvm::StringRef bytes, google::protobuf::Message &message);

} // namespace weir

#endif // WEIR_COMPILER_IMPORT_MESSAGE_H
