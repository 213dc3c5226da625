// Parses binary and text messages within limits.

#include "compiler/import/Message.h"

#include <climits>
#include <cstring>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/io/zero_copy_stream_impl.h>
#include <google/protobuf/stubs/logging.h>
#include <google/protobuf/text_format.h>
#include <unistd.h>

using namespace mlir;
namespace pb = google::protobuf;

namespace weir {

/// Deeper messages overflow the stack of whoever walks them. A conditional in
/// another one is three messages deeper.
constexpr int depthLimit = 300;
constexpr int readBlock = 1 << 20;

/// What protobuf would print itself, such as which string is not UTF-8.
static thread_local std::string said;

static void keepSaid(pb::LogLevel, const char *, int,
                     const std::string &message) {
  said = message;
}

namespace {
/// The first error of a text, with its place.
struct FirstError : pb::io::ErrorCollector {
  void AddError(int atLine, int atColumn, const std::string &what) override {
    if (!message.empty())
      return;
    line = atLine + 1;
    column = atColumn + 1;
    message = what;
  }
  int line = 0, column = 0;
  std::string message;
};
} // namespace

/// Binary messages of these kinds cannot do without control characters (the
/// tag of every node's op is one); texts have none.
bool isText(StringRef head) {
  for (unsigned char c : head)
    if ((c < 0x20 && c != '\t' && c != '\n' && c != '\r') || c == 0x7f)
      return false;
  head = head.ltrim();
  return !head.empty() && (llvm::isAlpha(head.front()) || head.front() == '#' ||
                           head.front() == '_');
}

StringRef firstWord(StringRef text) {
  while (true) {
    text = text.ltrim();
    if (!text.consume_front("#"))
      break;
    text = text.split('\n').second;
  }
  return text.take_while([](char c) { return llvm::isAlnum(c) || c == '_'; });
}

static LogicalResult loadText(Report &report, const File &file, StringRef whose,
                              pb::Message &message) {
  // A text is a hundredth of what a binary may be: the parser is slow.
  std::string text(file.size(), 0);
  if (!file.read(0, {text.data(), text.size()})) {
    report.error(Status::io) << "cannot read";
    return failure();
  }
  FirstError first;
  pb::TextFormat::Parser parser;
  parser.SetRecursionLimit(depthLimit);
  parser.RecordErrorsTo(&first);
  if (parser.ParseFromString(text, &message) && first.message.empty())
    return success();
  auto at = FileLineColLoc::get(report.context, report.path, first.line,
                                first.column);
  report.error(at) << "not a text of " << whose << ": " << first.message;
  return failure();
}

static LogicalResult loadBinary(Report &report, const File &file,
                                StringRef whose, pb::Message &message) {
  if (::lseek(file.handle(), 0, SEEK_SET) != 0) {
    report.error(Status::io) << "cannot read";
    return failure();
  }
  pb::io::FileInputStream stream(file.handle(), readBlock);
  bool parsed;
  {
    pb::io::CodedInputStream coded(&stream);
    coded.SetTotalBytesLimit(static_cast<int>(file.size()));
    coded.SetRecursionLimit(depthLimit);
    parsed =
        message.ParseFromCodedStream(&coded) && coded.ConsumedEntireMessage();
  }
  if (stream.GetErrno()) {
    report.error(Status::io)
        << "cannot read: " << std::strerror(stream.GetErrno());
    return failure();
  }
  if (parsed)
    return success();
  InFlightDiagnostic error = report.error();
  error << "not a message of " << whose << ": malformed at or before byte "
        << stream.ByteCount();
  if (!said.empty())
    error << " (" << said << ")";
  return failure();
}

LogicalResult loadMessage(Report &report, const File &file, bool text,
                          StringRef whose, pb::Message &message) {
  if (file.size() > INT_MAX) {
    report.error(Status::limit)
        << "has " << file.size()
        << " bytes, more than the 2 GiB that a protocol buffer may have";
    return failure();
  }
  said.clear();
  pb::LogHandler *before = pb::SetLogHandler(keepSaid);
  LogicalResult result = text ? loadText(report, file, whose, message)
                              : loadBinary(report, file, whose, message);
  pb::SetLogHandler(before);
  return result;
}

bool parseMessage(StringRef bytes, pb::Message &message) {
  if (bytes.size() > INT_MAX)
    return false;
  pb::LogHandler *before = pb::SetLogHandler(keepSaid);
  pb::io::CodedInputStream coded(
      reinterpret_cast<const uint8_t *>(bytes.data()),
      static_cast<int>(bytes.size()));
  coded.SetTotalBytesLimit(static_cast<int>(bytes.size()));
  coded.SetRecursionLimit(depthLimit);
  bool parsed =
      message.ParseFromCodedStream(&coded) && coded.ConsumedEntireMessage();
  pb::SetLogHandler(before);
  return parsed;
}

} // namespace weir
