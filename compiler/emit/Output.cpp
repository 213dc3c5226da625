// Output files that appear whole or not at all.

#include "compiler/emit/Output.h"

using namespace llvm;

namespace weir {

char IoError::ID;

void IoError::log(raw_ostream &os) const {
  os << "cannot write '" << path << "': " << code.message();
}

static Error ioError(StringRef path, std::error_code code) {
  return make_error<IoError>(path, code);
}

Expected<OutputFile> OutputFile::create(StringRef path) {
  // A directory, a device or a pipe is no place for a file renamed into it.
  sys::fs::file_status status;
  if (!sys::fs::status(path, status) && exists(status) &&
      !is_regular_file(status))
    return ioError(path, is_directory(status)
                             ? std::make_error_code(std::errc::is_a_directory)
                             : std::make_error_code(std::errc::not_supported));
  auto file = sys::fs::TempFile::create(path + ".%%%%%%.tmp");
  if (!file)
    return ioError(path, errorToErrorCode(file.takeError()));
  return OutputFile(path.str(), std::move(*file));
}

OutputFile::~OutputFile() {
  if (!done && file.FD != -1)
    consumeError(file.discard());
}

Error OutputFile::write(function_ref<Error(raw_fd_ostream &)> contents) {
  raw_fd_ostream os(file.FD, /*shouldClose=*/false);
  Error error = contents(os);
  os.flush();
  if (os.has_error()) {
    std::error_code code = os.error();
    os.clear_error();
    consumeError(std::move(error));
    return ioError(final, code);
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

} // namespace weir
