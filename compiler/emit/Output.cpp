// Output files that appear whole or not at all.

#include "compiler/emit/Output.h"

#include "compiler/SystemErrors.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Signals.h"

#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <unistd.h>

using namespace llvm;

namespace weir {

char IoError::ID;

void IoError::log(raw_ostream &os) const {
  os << "cannot write '" << path
     << "': " << (reason.empty() ? code.message() : reason);
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
  sys::fs::file_status status;
  std::error_code code = sys::fs::status(path, status);
  if (code && !isAbsent(code))
    return ioError(path, code);
  if (is_directory(status))
    return ioError(path, std::make_error_code(std::errc::is_a_directory));
  if (isDevice(path))
    return ioError(path, std::make_error_code(std::errc::not_supported));
  // Linkers are told the name, and it must not look like an option. A signal
  // removes files by their names: the name is known before there is a file.
  constexpr int trials = 128;
  for (int i = 0; i < trials; ++i) {
    SmallString<128> name;
    sys::fs::createUniquePath((path.starts_with("-") ? "./" : "") + path +
                                  ".%%%%%%.tmp",
                              name, /*MakeAbsolute=*/false);
    sys::RemoveFileOnSignal(name);
    int fd;
    code = sys::fs::openFileForReadWrite(name, fd, sys::fs::CD_CreateNew,
                                         sys::fs::OF_None);
    if (!code)
      return OutputFile(path, name, fd);
    sys::DontRemoveFileOnSignal(name);
    if (code != std::errc::file_exists)
      break;
  }
  return ioError(path, code);
}

OutputFile::OutputFile(OutputFile &&other)
    : final(std::move(other.final)), name(std::move(other.name)), fd(other.fd),
      state(other.state) {
  other.fd = -1;
  other.name.clear();
}

OutputFile::~OutputFile() {
  if (name.empty())
    return;
  close();
  ::unlink(name.c_str()); // LLVM's remove looks at the file first
  sys::DontRemoveFileOnSignal(name);
}

/// Some file systems have nothing to sync, and refuse.
static std::error_code sync(int fd) {
  int status;
  do
    status = ::fsync(fd);
  while (status && errno == EINTR);
  return status && errno != EINVAL && errno != ENOTSUP
             ? std::error_code(errno, std::generic_category())
             : std::error_code();
}

std::error_code OutputFile::close() {
  int was = std::exchange(fd, -1);
  return was < 0 ? std::error_code()
                 : sys::Process::SafelyCloseFileDescriptor(was);
}

Error OutputFile::finish() {
  std::error_code unsynced = sync(fd), unclosed = close();
  if (unsynced || unclosed)
    return ioError(final, unsynced ? unsynced : unclosed);
  return Error::success();
}

Error OutputFile::place() {
  // Nothing is allocated between the first file and the last.
  if (!::renameat2(AT_FDCWD, name.c_str(), AT_FDCWD, final.c_str(),
                   RENAME_EXCHANGE)) {
    state = Exchanged;
    return Error::success();
  }
  bool wasThere = errno != ENOENT;
  if (::rename(name.c_str(), final.c_str()))
    return ioError(final, std::error_code(errno, std::generic_category()));
  state = wasThere ? Temporary : Placed;
  return Error::success();
}

void OutputFile::replace() {
  if (state == Placed)
    ::unlink(final.c_str());
  else if (state == Exchanged)
    ::rename(name.c_str(), final.c_str());
}

namespace {

/// The folders of files, each once. They are open before the first file takes
/// its place, so that only the sync can fail afterwards.
struct Folders {
  ~Folders() {
    for (const Folder &folder : all)
      ::close(folder.fd);
  }

  Error add(const OutputFile &file) {
    std::string path = sys::path::parent_path(file.path()).str();
    for (const Folder &folder : all)
      if (folder.path == path)
        return Error::success();
    int fd = ::open(path.empty() ? "." : path.c_str(),
                    O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    // Files may be made in a folder that cannot be read, and so not be synced.
    if (fd < 0 && errno == EACCES)
      return Error::success();
    if (fd < 0)
      return ioError(file.path(),
                     std::error_code(errno, std::generic_category()));
    all.push_back({std::move(path), fd});
    return Error::success();
  }

  std::error_code syncAll() const {
    for (const Folder &folder : all)
      if (std::error_code code = sync(folder.fd))
        return code;
    return {};
  }

private:
  struct Folder {
    std::string path;
    int fd;
  };
  std::vector<Folder> all;
};

} // namespace

Error keepAll(std::vector<OutputFile> &files) {
  Folders folders;
  for (OutputFile &file : files) {
    if (Error error = file.finish())
      return error;
    if (Error error = folders.add(file))
      return error;
  }
  size_t placed = 0;
  Error error = Error::success();
  while (!error && placed < files.size())
    if (!(error = files[placed].place()))
      ++placed;
  // A name that may not last is none: the old files come back.
  if (!error)
    if (std::error_code code = folders.syncAll())
      error = ioError(files.front().path(), code);
  if (error)
    while (placed-- > 0)
      files[placed].replace();
  return error;
}

Error OutputFile::write(function_ref<Error(raw_fd_ostream &)> contents) {
  raw_fd_ostream os(fd, /*shouldClose=*/false);
  os.SetBufferSize(runBytes);
  Error error = contents(os);
  if (Error unwritten = takeError(os, final)) {
    consumeError(std::move(error));
    return unwritten;
  }
  return error;
}

Error writeText(StringRef path, std::vector<OutputFile> &files,
                function_ref<void(raw_ostream &)> contents) {
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
  files.push_back(std::move(*file));
  return Error::success();
}

} // namespace weir
