// Compiles and runs libraries, in processes of their own: a library that
// crashes does not end the comparison without a message.

#include "tools/diff/Run.h"

#include "tools/reference/Files.h"
#include "tools/reference/Signature.h"
#include "tools/reference/TemporaryFolder.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"

using namespace mlir;
namespace fs = llvm::sys::fs;

namespace weir::diff {

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
/// why it failed, unless they go to a file.
static Status execute(StringRef program, ArrayRef<std::string> arguments,
                      StringRef log = "") {
  std::string path = findProgram(program), error;
  SmallVector<StringRef> all = {path};
  llvm::append_range(all, arguments);
  std::optional<StringRef> errors;
  if (!log.empty())
    errors = log;
  std::optional<StringRef> redirects[] = {StringRef(""), StringRef(""), errors};
  auto lock = reference::TemporaryFolder::holdSignals();
  llvm::sys::ProcessInfo process =
      llvm::sys::ExecuteNoWait(path, all, std::nullopt, redirects,
                               /*MemoryLimit=*/0, &error);
  if (process.Pid == llvm::sys::ProcessInfo::InvalidPid)
    return reference::fail(Status::io, "cannot run '" + escaped(path) +
                                           "': " + escaped(error));
  reference::TemporaryFolder::setChild(process.Pid);
  lock.unlock();
  int code = llvm::sys::Wait(process, std::nullopt, &error).ReturnCode;
  lock.lock();
  reference::TemporaryFolder::setChild(0);
  lock.unlock();
  if (code < 0)
    return reference::fail(Status::internal,
                           program + " crashed: " + escaped(error));
  if (code > 0 && log.empty())
    reference::fail(Status::badInput,
                    program + " exited with " + Twine(code) +
                        ", so that there is nothing to compare");
  return static_cast<Status>(code);
}

std::vector<std::string> compileArguments(const Options &options,
                                          StringRef flags,
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
  return arguments;
}

Status compileLibrary(const Options &options, StringRef flags,
                      const std::string &library, StringRef log) {
  return execute("weir", compileArguments(options, flags, library), log);
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
  auto inputs = reference::inputsOf(model.function);
  reference::FileNames names = reference::fileNamesOf(inputs);
  for (const reference::SignatureTensor &input : inputs) {
    if (values.inputDir.empty() || input.isSizes || isGiven(input, values))
      continue;
    std::string path;
    if (Status status = names.pathOf(values.inputDir, input.name, path);
        status != Status::ok)
      return status;
    if (fs::exists(path))
      arguments.push_back("--input=" + input.name + "=@" + path);
  }
  return execute("weir-run", arguments);
}

} // namespace weir::diff
