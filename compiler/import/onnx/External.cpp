// Constants that lie in files beside the model.

#include "compiler/import/onnx/Tensors.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"

using namespace mlir;

namespace weir::onnx {

ExternalData::ExternalData(StringRef path)
    : directory(llvm::sys::path::parent_path(path).str()),
      isStdin(path == "-") {
  if (directory.empty())
    directory = ".";
}

std::optional<std::string> ExternalData::read(Report &report,
                                              const ::onnx::TensorProto &proto,
                                              uint64_t wanted, Fault &fault) {
  auto fails = [&](const Twine &why) -> std::optional<std::string> {
    fault.why = why.str();
    return std::nullopt;
  };
  StringRef location;
  uint64_t offset = 0;
  std::optional<uint64_t> length;
  for (const auto &entry : proto.external_data()) {
    StringRef value = entry.value();
    uint64_t number = 0;
    if (entry.key() == "location")
      location = value;
    if (entry.key() != "offset" && entry.key() != "length")
      continue;
    if (value.getAsInteger(10, number))
      return fails("has '" + escaped(value, 40) + "' for the " + entry.key() +
                   " of its data");
    if (entry.key() == "offset")
      offset = number;
    else
      length = number;
  }
  if (location.empty())
    return fails("does not say in which file its data are");
  if (length && *length != wanted)
    return fails("has " + Twine(*length) + " bytes of data for " +
                 Twine(wanted));
  if (isStdin)
    return fails("has its data in file '" + escaped(location) +
                 "', which a model that comes by stdin has not beside it");
  auto [known, isNew] = files.try_emplace(location);
  if (isNew) {
    if (!opened) {
      FailureOr<File> folder = File::openDirectory(report, directory);
      if (failed(folder))
        return std::nullopt;
      opened = std::move(*folder);
    }
    FailureOr<File> file = opened->openBelow(report, location);
    if (failed(file)) {
      files.erase(known);
      return std::nullopt;
    }
    known->second = std::move(*file);
  }
  const File &file = known->second;
  // The size first: a model may ask for more than there is memory.
  if (offset > file.size() || wanted > file.size() - offset)
    return fails(llvm::formatv("has its data at {0}, {1} bytes, of file '{2}', "
                               "which has {3}",
                               offset, wanted, escaped(location), file.size())
                     .str());
  std::string bytes(wanted, 0);
  if (!file.read(offset, {bytes.data(), bytes.size()})) {
    fault.status = Status::io;
    return fails("cannot be read from file '" + escaped(location) + "'");
  }
  return bytes;
}

} // namespace weir::onnx
