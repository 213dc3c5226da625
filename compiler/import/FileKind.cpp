// Files that users hand over by mistake, known by their first bytes.

#include "compiler/import/FileKind.h"

#include "compiler/import/File.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include "runtime/checkpoint/table.h"
#include <vector>

using namespace mlir;
namespace fs = llvm::sys::fs;

namespace weir {
namespace {

constexpr uint64_t mostRead = 1 << 16;

/// The first and the last bytes of a file.
struct Ends {
  std::string head, tail;
  uint64_t size = 0;

  bool starts(StringRef bytes) const {
    return StringRef(head).starts_with(bytes);
  }
  bool hasAt(size_t offset, StringRef bytes) const {
    return StringRef(head).substr(offset).starts_with(bytes);
  }
  bool mentions(StringRef text) const {
    return StringRef(head).contains(text) || StringRef(tail).contains(text);
  }
};

constexpr StringRef exportKeras =
    "load it in Python and write a SavedModel with model.export('FOLDER')";
constexpr StringRef exportTorch =
    "load the model in Python and write an ONNX model with torch.onnx.export";

/// An archive's directory stands at its end, and names its files.
std::string zipKind(const Ends &file) {
  if (file.mentions("data.pkl"))
    return ("is a file of PyTorch; " + exportTorch).str();
  if (file.mentions("model.weights.h5"))
    return ("is a Keras model; " + exportKeras).str();
  if (file.mentions("saved_model.pb"))
    return "is a zip archive of a SavedModel; unpack it and name the folder";
  if (file.mentions("config.json"))
    return ("is a Keras model; " + exportKeras).str();
  if (file.mentions(".npy"))
    return "holds arrays of NumPy and no model";
  return "is a zip archive; unpack it and name the model in it";
}

/// Texts that are no protocol buffer's begin with a bracket. A binary one also
/// does, after a newline, if the first node has the length of that character;
/// it has control characters.
std::string bracketKind(const Ends &file) {
  if (llvm::any_of(file.head, [](char c) {
        return c >= 0 && c < ' ' && !StringRef("\t\n\r\f").contains(c);
      }))
    return "";
  StringRef text = StringRef(file.head).ltrim("\xef\xbb\xbf \t\r\n");
  if (text.starts_with_insensitive("<!doctype html") ||
      text.starts_with_insensitive("<html"))
    return "is a web page and no model; download the file that the page shows";
  if (text.starts_with("<"))
    return file.mentions("<net ")
               ? "is a model of OpenVINO; compile the model that it was made of"
               : "is an XML file and no model";
  if (!text.starts_with("{"))
    return "";
  if (file.mentions("\"modelTopology\"") || file.mentions("\"graph-model\""))
    return "is a model of TensorFlow.js; compile the SavedModel that it was "
           "made of";
  return "is a JSON file and no model";
}

bool isSafetensors(const Ends &file) {
  if (file.head.size() < 9 || file.head[8] != '{')
    return false;
  uint64_t length = llvm::support::endian::read64le(file.head.data());
  return length <= file.size - 8 && length >> 32 == 0;
}

std::string kindOf(const Ends &file) {
  if (file.starts("version https://git-lfs.github.com/spec/"))
    return "is a Git LFS pointer, which stands for the model; fetch the model "
           "with 'git lfs pull'";
  if (file.starts("PK\x03\x04"))
    return zipKind(file);
  if (file.starts("\x89HDF\r\n\x1a\n"))
    return ("is an HDF5 file, as Keras writes it; " + exportKeras).str();
  if (file.hasAt(4, "TFL3"))
    return "is a TensorFlow Lite model; compile the SavedModel that it was "
           "made of, or convert it to ONNX with tf2onnx";
  if (file.hasAt(4, "ORTM"))
    return "is in ONNX Runtime's own format; compile the ONNX model that it "
           "was made of";
  if (file.starts("GGUF"))
    return "is a GGUF file; export the model that it was made of to ONNX";
  if (isSafetensors(file))
    return "holds weights in the safetensors format, without a graph; export "
           "the model to ONNX, for example with optimum-cli";
  if (file.head.size() > 1 && file.head[0] == '\x80' && file.head[1] >= 2 &&
      file.head[1] <= 5)
    return ("is a Python pickle, as PyTorch writes it; " + exportTorch).str();
  for (StringRef magic :
       {StringRef("\x1f\x8b"), StringRef("BZh"), StringRef("\xfd\x37zXZ"),
        StringRef("\x28\xb5\x2f\xfd")})
    if (file.starts(magic))
      return "is compressed; unpack it first";
  if (file.hasAt(257, "ustar"))
    return "is a tar archive; unpack it and name the model in it";
  return bracketKind(file);
}

/// Whether a file with this end is a table of keys: the index of a checkpoint.
static bool isTable(StringRef tail) {
  return tail.size() >= 8 &&
         llvm::support::endian::read64le(tail.end() - 8) == weir_table_magic;
}

std::vector<std::string> entriesOf(const std::string &directory) {
  constexpr size_t most = 4096;
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator at(directory, error), end;
       !error && at != end && names.size() < most; at.increment(error))
    names.push_back(llvm::sys::path::filename(at->path()).str());
  llvm::sort(names);
  return names;
}

/// A directory without a SavedModel in it.
std::string directoryKind(const std::string &path) {
  std::vector<std::string> names = entriesOf(path);
  auto named = [&](llvm::function_ref<bool(StringRef)> is) -> StringRef {
    for (StringRef name : names)
      if (is(name))
        return name;
    return "";
  };
  if (llvm::is_contained(names, "saved_model.pb") ||
      llvm::is_contained(names, "saved_model.pbtxt"))
    return "";
  std::string versions, last;
  for (StringRef name : names)
    if (llvm::all_of(name, llvm::isDigit) &&
        fs::exists(path + "/" + name + "/saved_model.pb")) {
      versions += (versions.empty() ? "" : ", ") + name.str();
      last = name.str();
    }
  if (!versions.empty())
    return "is a serving folder with the versions " + versions +
           "; name one of them, such as '" + escaped(path + "/" + last) + "'";
  auto ends = [](StringRef ending) {
    return [ending](StringRef name) { return name.ends_with(ending); };
  };
  if (StringRef name = named(ends(".onnx")); !name.empty())
    return "is a folder with ONNX models; name one of them, such as '" +
           escaped(path + "/" + name.str()) + "'";
  if (StringRef name = named(ends(".safetensors")); !name.empty())
    return "holds weights ('" + escaped(name) +
           "') and no graph; export the model to ONNX, for example with "
           "optimum-cli";
  if (StringRef name = named(ends(".index")); !name.empty())
    return "holds a checkpoint ('" + escaped(name) +
           "') and no graph; export a SavedModel";
  return "";
}

} // namespace

/// What stands for the number of a part, before how many there are.
constexpr StringRef anyPart = "-\?\?\?\?\?-of-";
constexpr size_t partDigits = 5;

unsigned checkpointParts(StringRef prefix) {
  unsigned parts = 0;
  if (prefix.size() < partDigits ||
      !prefix.drop_back(partDigits).ends_with(anyPart) ||
      !llvm::all_of(prefix.take_back(partDigits), llvm::isDigit) ||
      prefix.take_back(partDigits).getAsInteger(10, parts) || !parts)
    return 1;
  return parts;
}

std::string checkpointPart(StringRef prefix, unsigned part) {
  std::string path = prefix.str();
  if (!prefix.drop_back(std::min(prefix.size(), partDigits)).ends_with(anyPart))
    return path;
  for (size_t i = path.size() - partDigits - anyPart.size() + partDigits;
       path[i] == '?'; --i, part /= 10)
    path[i] = static_cast<char>('0' + part % 10);
  return path;
}

std::string checkpointPrefix(const std::string &path) {
  if (path == "-" || File::isDirectory(path))
    return "";
  auto hasIndex = [](StringRef prefix) {
    return fs::is_regular_file(checkpointPart(prefix, 0) + ".index");
  };
  StringRef name = path;
  if (name.ends_with(".index") && hasIndex(name.drop_back(6)))
    return name.drop_back(6).str();
  auto [prefix, digits] = name.rsplit(".data-");
  if (digits.size() == 14 && hasIndex(prefix))
    return prefix.str();
  return !fs::exists(path) && hasIndex(path) ? path : "";
}

LogicalResult checkKind(Report &report, const std::string &path) {
  std::string kind;
  if (std::string prefix = checkpointPrefix(path); !prefix.empty()) {
    kind = "is of a checkpoint, which has no graph; name the graph, and the "
           "checkpoint with --checkpoint=" +
           escaped(prefix);
  } else if (File::isDirectory(path)) {
    kind = directoryKind(path);
  } else {
    FailureOr<File> file = File::open(report, path);
    if (failed(file))
      return failure();
    Ends ends;
    ends.size = file->size();
    ends.head.resize(std::min(ends.size, mostRead));
    ends.tail.resize(ends.head.size());
    if (!file->read(0, {ends.head.data(), ends.head.size()}) ||
        !file->read(ends.size - ends.tail.size(),
                    {ends.tail.data(), ends.tail.size()})) {
      report.error(Status::io) << "cannot read";
      return failure();
    }
    kind = isTable(ends.tail)
               ? "is the index of a checkpoint, which has no graph"
               : kindOf(ends);
  }
  if (kind.empty())
    return success();
  report.error() << kind;
  return failure();
}

} // namespace weir
