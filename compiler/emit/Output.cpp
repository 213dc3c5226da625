// Output files that appear whole or not at all.

#include "compiler/emit/Output.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Signals.h"

using namespace llvm;

namespace weir {

char IoError::ID;

void IoError::log(raw_ostream &os) const {
  os << "cannot write '" << path << "': " << code.message();
}

static Error ioError(StringRef path, std::error_code code) {
  return make_error<IoError>(path, code);
}

/// What is wrong with what a stream has been given, if anything is. The stream
/// would end the process for it.
static Error takeError(raw_fd_ostream &os, StringRef path) {
  os.flush();
  std::error_code code = os.error();
  os.clear_error();
  return code ? ioError(path, code) : Error::success();
}

/// Whether there is something that is no file, nor a directory.
static bool isDevice(StringRef path) {
  sys::fs::file_status status;
  return !sys::fs::status(path, status) && exists(status) &&
         !is_regular_file(status) && !is_directory(status);
}

Expected<OutputFile> OutputFile::create(StringRef path) {
  // A directory, a device or a pipe is no place for a file renamed into it.
  if (sys::fs::is_directory(path))
    return ioError(path, std::make_error_code(std::errc::is_a_directory));
  if (isDevice(path))
    return ioError(path, std::make_error_code(std::errc::not_supported));
  // Linkers are told the name, and it must not look like an option. A signal
  // removes files by their names, and TempFile tells its own only when there is
  // a file: one that came meanwhile would leave it.
  SmallString<128> name;
  sys::fs::createUniquePath((path.starts_with("-") ? "./" : "") + path +
                                ".%%%%%%.tmp",
                            name, /*MakeAbsolute=*/false);
  sys::RemoveFileOnSignal(name);
  auto file = sys::fs::TempFile::create(name);
  if (!file) {
    sys::DontRemoveFileOnSignal(name);
    return ioError(path, errorToErrorCode(file.takeError()));
  }
  return OutputFile(path.str(), std::move(*file));
}

OutputFile::~OutputFile() {
  if (!done && file.FD != -1)
    consumeError(file.discard());
}

Error OutputFile::write(function_ref<Error(raw_fd_ostream &)> contents) {
  raw_fd_ostream os(file.FD, /*shouldClose=*/false);
  os.SetBufferSize(runBytes);
  Error error = contents(os);
  if (Error unwritten = takeError(os, final)) {
    consumeError(std::move(error));
    return unwritten;
  }
  return error;
}

Error OutputFile::keep() {
  done = true;
  if (Error error = file.keep(final)) {
    std::error_code code = errorToErrorCode(std::move(error));
    sys::fs::remove(file.TmpName);
    return ioError(final, code);
  }
  return Error::success();
}

Error writeText(StringRef path, function_ref<void(raw_ostream &)> contents) {
  if (path == "-") {
    contents(outs());
    return takeError(outs(), "standard output");
  }
  if (isDevice(path)) {
    std::error_code code;
    raw_fd_ostream os(path, code, sys::fs::OF_None);
    if (code)
      return ioError(path, code);
    contents(os);
    return takeError(os, path);
  }
  Expected<OutputFile> file = OutputFile::create(path);
  if (!file)
    return file.takeError();
  if (Error error = file->write([&](raw_fd_ostream &os) {
        contents(os);
        return Error::success();
      }))
    return error;
  return file->keep();
}

} // namespace weir
