// Constants that lie in files beside the model.

#include "compiler/import/onnx/External.h"

#include "compiler/import/onnx/Tensors.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SHA1.h"

using namespace mlir;

namespace weir::onnx {

ExternalData::ExternalData(StringRef path)
    : directory(llvm::sys::path::parent_path(path).str()),
      isStdin(path == "-") {
  if (directory.empty())
    directory = ".";
  // Clients of model hubs keep files in one folder, and models as folders of
  // links into it.
  llvm::SmallString<256> model, folder;
  if (isStdin || llvm::sys::fs::real_path(path, model) ||
      llvm::sys::fs::real_path(directory, folder))
    return;
  StringRef real = llvm::sys::path::parent_path(model);
  if (real != folder)
    linked = real.str();
}

FailureOr<const File *> ExternalData::open(Report &report, StringRef location,
                                           Fault &fault) {
  auto emplaced = files.try_emplace(location);
  auto known = emplaced.first;
  if (!emplaced.second)
    return &known->second;
  auto opens = [&]() -> LogicalResult {
    if (!opened) {
      FailureOr<File> folder = File::openDirectory(report, directory);
      if (failed(folder))
        return failure();
      opened = std::move(*folder);
      opened->allowLinksTo(linked);
    }
    FailureOr<File> file = opened->openBelow(report, location);
    if (failed(file))
      return failure();
    if (file->isSharedOutside(*opened)) {
      fault.why = "has its data in '" + escaped(location) +
                  "', a hard link to a file outside of the model's directory: "
                  "copy it there";
      return failure();
    }
    known->second = std::move(*file);
    return success();
  };
  if (succeeded(opens()))
    return &known->second;
  files.erase(known);
  return failure();
}

LogicalResult ExternalData::check(StringRef location, const File &file,
                                  StringRef digest, Fault &fault) {
  auto [known, isNew] = digests.try_emplace(location);
  if (isNew) {
    llvm::SHA1 sha;
    std::string buffer;
    for (uint64_t at = 0; at < file.size(); at += buffer.size()) {
      buffer.resize(std::min<uint64_t>(file.size() - at, 1 << 20));
      if (!file.read(at, {buffer.data(), buffer.size()})) {
        digests.erase(known);
        fault = {"cannot be read from file '" + escaped(location) + "'",
                 Status::io};
        return failure();
      }
      sha.update(buffer);
    }
    known->second = llvm::toHex(sha.final(), /*LowerCase=*/true);
  }
  if (digest.equals_insensitive(known->second))
    return success();
  fault.why = "has its data in '" + escaped(location) + "', whose SHA1 is " +
              known->second + " and not the model's checksum " +
              escaped(digest, 60) + ": the file is damaged or of another model";
  return failure();
}

std::optional<std::string> ExternalData::read(Report &report,
                                              const ::onnx::TensorProto &proto,
                                              uint64_t wanted, Fault &fault) {
  auto fails = [&](const Twine &why) -> std::optional<std::string> {
    fault.why = why.str();
    return std::nullopt;
  };
  StringRef location, digest;
  uint64_t offset = 0;
  std::optional<uint64_t> length;
  for (const auto &entry : proto.external_data()) {
    StringRef value = entry.value();
    uint64_t number = 0;
    if (entry.key() == "location")
      location = value;
    if (entry.key() == "checksum")
      digest = value;
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
  FailureOr<const File *> from = open(report, location, fault);
  if (failed(from))
    return std::nullopt;
  const File &file = **from;
  // The size first: a model may ask for more than there is memory.
  if (offset > file.size() || wanted > file.size() - offset)
    return fails(llvm::formatv("has its data at {0}, {1} bytes, of file '{2}', "
                               "which has {3}",
                               offset, wanted, escaped(location), file.size())
                     .str());
  if (!digest.empty() && failed(check(location, file, digest, fault)))
    return std::nullopt;
  std::string bytes(wanted, 0);
  if (!file.read(offset, {bytes.data(), bytes.size()})) {
    fault.status = Status::io;
    return fails("cannot be read from file '" + escaped(location) + "'");
  }
  return bytes;
}

} // namespace weir::onnx
