// Tells the files of TensorFlow apart by their first bytes.

#include "compiler/import/tensorflow/file/Load.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace weir::tensorflow {

FailureOr<MessageFile> recognize(Report &report, File file) {
  MessageFile result;
  std::string head(std::min<uint64_t>(file.size(), 4096), 0);
  if (head.empty()) {
    report.error() << "is empty";
    return failure();
  }
  if (!file.read(0, {head.data(), head.size()})) {
    report.error(Status::io) << "cannot read";
    return failure();
  }
  result.text = isText(head);
  if (result.text) {
    StringRef word = firstWord(head);
    result.kind = word == "saved_model_schema_version" || word == "meta_graphs"
                      ? FileKind::savedModel
                      : FileKind::graph;
    result.isGuess = result.kind == FileKind::graph && word != "node" &&
                     word != "library" && word != "version" &&
                     word != "versions";
  } else if (StringRef(head).starts_with(StringRef("\x08\x01\x12", 3))) {
    result.kind = FileKind::savedModel;
  } else if (!head.empty() && head[0] != '\x08') {
    result.kind = FileKind::graph;
    // A GraphDef's fields: node, library, version, versions, debug_info.
    result.isGuess = !StringRef("\x0a\x12\x18\x22\x2a").contains(head[0]);
  }
  result.file = std::move(file);
  return result;
}

LogicalResult load(Report &report, const MessageFile &from,
                   google::protobuf::Message &message) {
  if (!from.isGuess)
    return loadMessage(report, from.file, from.text, "TensorFlow's", message);
  // Says what the file looks like, so that it is known as what it is.
  std::string head(std::min<uint64_t>(from.file.size(), 16), 0);
  std::string shown;
  if (from.file.read(0, {head.data(), head.size()}))
    shown = from.text ? "'" + escaped(StringRef(head).split('\n').first) + "'"
                      : "the bytes " + llvm::toHex(head, /*LowerCase=*/true);
  return loadMessage(report, from.file, from.text,
                     "ONNX's or TensorFlow's (it begins with " + shown + ")",
                     message);
}

} // namespace weir::tensorflow
