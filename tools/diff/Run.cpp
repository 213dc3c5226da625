// Compiles and runs libraries, in processes of their own: a library that
// crashes does not end the comparison without a message.

#include "tools/diff/Run.h"

#include "compiler/SystemErrors.h"
#include "tools/reference/ArrayFiles.h"
#include "tools/reference/Files.h"
#include "tools/reference/Signature.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/Signals.h"

using namespace mlir;
namespace fs = llvm::sys::fs;

namespace weir::diff {

TemporaryFolder::~TemporaryFolder() {
  if (!path.empty())
    fs::remove_directories(path);
  for (const auto &file : files)
    llvm::sys::DontRemoveFileOnSignal(file.getKey());
}

void TemporaryFolder::know(std::string file) {
  llvm::sys::RemoveFileOnSignal(file);
  files.insert(file);
}

void TemporaryFolder::knowAllIn(StringRef folder) {
  std::error_code code;
  for (fs::directory_iterator it(folder, code), end; !code && it != end;
       it.increment(code))
    know(it->path());
}

void TemporaryFolder::remove(StringRef file) {
  fs::remove(file);
  llvm::sys::DontRemoveFileOnSignal(file);
  files.erase(file);
}

Status TemporaryFolder::create() {
  if (std::error_code code = fs::createUniqueDirectory("weir-diff", path)) {
    path.clear();
    return reference::fail(systemStatus(code),
                           "cannot create a temporary folder: " +
                               code.message());
  }
  return Status::ok;
}

Status TemporaryFolder::createFolder(StringRef name) {
  if (std::error_code code = fs::create_directory(pathOf(name)))
    return reference::fail(systemStatus(code), "cannot create '" +
                                                   pathOf(name) +
                                                   "': " + code.message());
  return Status::ok;
}

std::string TemporaryFolder::pathOf(StringRef name) const {
  return (path + "/" + name).str();
}

/// A program of the installation: beside this one, or on the PATH.
static std::string findProgram(StringRef name) {
  std::string self =
      fs::getMainExecutable(nullptr, reinterpret_cast<void *>(&findProgram));
  SmallString<256> path(llvm::sys::path::parent_path(self));
  llvm::sys::path::append(path, name);
  if (!fs::can_execute(path))
    if (auto found = llvm::sys::findProgramByName(name))
      return *found;
  return path.str().str();
}

/// Runs a program to its end, without its standard output. Its own messages say
/// why it failed.
static Status execute(StringRef program, ArrayRef<std::string> arguments) {
  std::string path = findProgram(program), error;
  SmallVector<StringRef> all = {path};
  llvm::append_range(all, arguments);
  std::optional<StringRef> redirects[] = {StringRef(""), StringRef(""),
                                          std::nullopt};
  int code =
      llvm::sys::ExecuteAndWait(path, all, std::nullopt, redirects,
                                /*SecondsToWait=*/0, /*MemoryLimit=*/0, &error);
  if (code == -1)
    return reference::fail(Status::io, "cannot run '" + escaped(path) +
                                           "': " + escaped(error));
  if (code < 0)
    return reference::fail(Status::internal,
                           program + " crashed: " + escaped(error));
  if (code > 0)
    reference::fail(Status::badInput,
                    program + " exited with " + Twine(code) +
                        ", so that there is nothing to compare");
  return static_cast<Status>(code);
}

Status compileLibrary(const Options &options, StringRef flags,
                      const std::string &library) {
  std::vector<std::string> arguments = {"compile", options.import.path, "-q",
                                        "-o", library};
  const DiffOptions &own = options.diff;
  llvm::append_range(arguments, own.ofModel);
  if (options.input == InputKind::Model)
    arguments.push_back("--keep=" + own.keep);
  llvm::BumpPtrAllocator memory;
  llvm::StringSaver saver(memory);
  SmallVector<const char *> words;
  llvm::cl::TokenizeGNUCommandLine(flags, saver, words);
  arguments.insert(arguments.end(), words.begin(), words.end());
  return execute("weir", arguments);
}

/// Whether `--input` sets the input.
static bool isGiven(const reference::SignatureTensor &input,
                    const ReferenceOptions &values) {
  return llvm::any_of(values.inputs, [&](StringRef text) {
    return input.isCalled(text.split('=').first);
  });
}

Status runLibrary(const Model &model, const Options &options,
                  const std::string &library, const std::string &folder) {
  const ReferenceOptions &values = options.reference;
  std::vector<std::string> arguments = {library, "--output-dir=" + folder};
  if (!values.function.empty())
    arguments.push_back("--function=" + values.function);
  if (!values.random.empty())
    arguments.push_back("--random=" + values.random);
  for (const std::string &input : values.inputs)
    arguments.push_back("--input=" + input);
  for (const reference::SignatureTensor &input :
       reference::inputsOf(model.function)) {
    if (values.inputDir.empty() || input.isSizes || isGiven(input, values))
      continue;
    std::string path = reference::pathIn(values.inputDir, input.name);
    if (fs::exists(path))
      arguments.push_back("--input=" + input.name + "=@" + path);
  }
  return execute("weir-run", arguments);
}

} // namespace weir::diff
