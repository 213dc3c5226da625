// Opens and reads the files of a model.

#include "compiler/import/File.h"

#include "compiler/Limits.h"
#include "compiler/import/Dependencies.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <vector>

using namespace mlir;

namespace weir {

File &File::operator=(File &&other) {
  std::swap(fd, other.fd);
  std::swap(bytes, other.bytes);
  std::swap(path, other.path);
  std::swap(linked, other.linked);
  return *this;
}

File::~File() {
  if (fd >= 0)
    ::close(fd);
}

/// What may block (a pipe) opens without waiting and is then refused for not
/// being a regular file.
constexpr int openFlags = O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY;

static bool hasNul(StringRef text) { return text.contains('\0'); }

/// `fd` as a file, where it is a regular one.
static FailureOr<uint64_t> regularSize(Report &report, int fd, StringRef name) {
  struct stat info;
  if (::fstat(fd, &info) != 0) {
    report.error(Status::io)
        << "cannot read '" << escaped(name) << "': " << std::strerror(errno);
    return failure();
  }
  if (!S_ISREG(info.st_mode)) {
    report.error(Status::badInput)
        << "'" << escaped(name) << "' is not a regular file";
    return failure();
  }
  addInput(info.st_dev, info.st_ino, info.st_size);
  return static_cast<uint64_t>(info.st_size);
}

/// The most that a protocol buffer may hold, which is all that comes by stdin.
constexpr uint64_t stdinLimit = uint64_t(1) << 31;

FailureOr<File> File::openStdin(Report &report) {
  // What has been read before, to tell which frontend it is for, stands as a
  // file in stdin's place.
  struct stat info;
  File file;
  if (::fstat(STDIN_FILENO, &info) == 0 && S_ISREG(info.st_mode) &&
      ::lseek(STDIN_FILENO, 0, SEEK_CUR) == 0) {
    file.fd = ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0);
    file.bytes = static_cast<uint64_t>(info.st_size);
    if (file.fd >= 0 && file.bytes <= stdinLimit) {
      addInput(info.st_dev, info.st_ino, file.bytes);
      return file;
    }
  }
  file = File();
  file.fd = ::memfd_create("stdin", MFD_CLOEXEC);
  std::vector<char> buffer(1 << 16);
  bool good = file.fd >= 0;
  while (good && file.bytes <= stdinLimit) {
    ssize_t count = ::read(STDIN_FILENO, buffer.data(), buffer.size());
    if (count == 0) {
      good = ::lseek(file.fd, 0, SEEK_SET) == 0 &&
             ::dup2(file.fd, STDIN_FILENO) == STDIN_FILENO;
      if (good)
        return file;
      break;
    }
    if (count < 0 && errno == EINTR)
      continue;
    good = count > 0 && ::write(file.fd, buffer.data(), count) == count;
    file.bytes += good ? count : 0;
  }
  if (good)
    report.error(Status::limit) << "stdin holds more than 2 GiB";
  else
    report.error(Status::io) << "cannot read stdin: " << std::strerror(errno);
  return failure();
}

FailureOr<File> File::open(Report &report, const std::string &path) {
  if (path == "-")
    return openStdin(report);
  File file;
  file.fd = hasNul(path) ? -1 : ::open(path.c_str(), openFlags);
  if (file.fd < 0) {
    report.error(Status::io) << "cannot open: " << std::strerror(errno);
    return failure();
  }
  FailureOr<uint64_t> size = regularSize(report, file.fd, path);
  if (failed(size))
    return failure();
  addDependency(path);
  file.bytes = *size;
  return file;
}

FailureOr<File> File::openDirectory(Report &report, const std::string &path) {
  File file;
  file.fd = ::open(path.c_str(), openFlags | O_DIRECTORY);
  file.path = path;
  if (file.fd >= 0)
    return file;
  report.error(Status::io) << "cannot open: " << std::strerror(errno);
  return failure();
}

/// Opens each part of the name in turn, following no link: what openat2 does
/// where the kernel has it, links inside the directory aside.
static int openStepwise(int directory, StringRef name) {
  int at = ::dup(directory);
  while (at >= 0 && !name.empty()) {
    auto [part, rest] = name.split('/');
    if (part == "..") {
      ::close(at);
      errno = EXDEV;
      return -1;
    }
    if (!part.empty() && part != ".") {
      int flags = openFlags | O_NOFOLLOW | (rest.empty() ? 0 : O_DIRECTORY);
      int next = ::openat(at, part.str().c_str(), flags);
      int why = errno;
      ::close(at);
      errno = why;
      at = next;
    }
    name = rest;
  }
  return at;
}

static int openBeneath(int directory, StringRef name) {
  if (name.empty() || name.front() == '/' || hasNul(name)) {
    errno = EXDEV;
    return -1;
  }
  struct open_how how = {};
  how.flags = openFlags;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS;
  long fd =
      ::syscall(SYS_openat2, directory, name.str().c_str(), &how, sizeof how);
  if (fd >= 0 || (errno != ENOSYS && errno != EPERM))
    return static_cast<int>(fd);
  return openStepwise(directory, name);
}

int File::openLinked(StringRef name) const {
  int why = errno;
  SmallVector<StringRef> parts;
  name.split(parts, '/');
  llvm::SmallString<256> real;
  bool isInside = !linked.empty() && !llvm::is_contained(parts, "..") &&
                  !name.starts_with("/") && !hasNul(name) &&
                  !llvm::sys::fs::real_path(path + "/" + name, real);
  StringRef below = real;
  if (isInside && below.consume_front(linked) && below.consume_front("/")) {
    int folder = ::open(linked.c_str(), openFlags | O_DIRECTORY);
    int found = folder < 0 ? -1 : openBeneath(folder, below);
    why = errno;
    ::close(folder);
    if (found >= 0)
      return found;
  }
  errno = why;
  return -1;
}

FailureOr<File> File::openBelow(Report &report, StringRef name) const {
  File file;
  file.fd = openBeneath(fd, name);
  if (file.fd < 0 && (errno == EXDEV || errno == ELOOP))
    file.fd = openLinked(name);
  if (file.fd < 0) {
    if (errno == EXDEV || errno == ELOOP)
      report.error() << "'" << escaped(name)
                     << "' leads out of the model's directory";
    else
      report.error(errno == ENOENT || errno == ENOTDIR ? Status::badInput
                                                       : Status::io)
          << "cannot open '" << escaped(name)
          << "' in the model's directory: " << std::strerror(errno);
    return failure();
  }
  FailureOr<uint64_t> size = regularSize(report, file.fd, name);
  if (failed(size))
    return failure();
  addDependency((StringRef(path).rtrim('/') + "/" + name).str());
  file.bytes = *size;
  return file;
}

/// How many names below the directory are of this file, up to `most`.
static uint64_t countNames(const std::string &directory,
                           const struct stat &wanted, uint64_t most) {
  namespace fs = llvm::sys::fs;
  constexpr int maxEntries = 1 << 16;
  uint64_t names = 0;
  int seen = 0;
  std::error_code error;
  for (fs::recursive_directory_iterator at(directory, error, false), end;
       !error && at != end && names < most && seen < maxEntries;
       at.increment(error), ++seen) {
    struct stat info;
    names += ::lstat(at->path().c_str(), &info) == 0 &&
             info.st_dev == wanted.st_dev && info.st_ino == wanted.st_ino;
  }
  return names;
}

bool File::isSharedOutside(const File &directory) const {
  struct stat info;
  if (::fstat(fd, &info) != 0 || info.st_nlink <= 1)
    return false;
  uint64_t names = countNames(directory.path, info, info.st_nlink);
  if (names < info.st_nlink && !directory.linked.empty())
    names += countNames(directory.linked, info, info.st_nlink - names);
  return names < info.st_nlink;
}

/// The file is absent, as opposed to what could not be found out.
static bool isAbsence(int error) {
  return error == ENOENT || error == ENOTDIR || error == ELOOP ||
         error == ENAMETOOLONG;
}

/// Where the system refuses to say it, another call may; if none does, whoever
/// opens the file reports why it cannot be reached.
bool File::has(StringRef name) const {
  struct stat info;
  std::string path = name.str();
  if (::fstatat(fd, path.c_str(), &info, AT_SYMLINK_NOFOLLOW) == 0)
    return true;
  return !isAbsence(errno) &&
         (::faccessat(fd, path.c_str(), F_OK, 0) == 0 || !isAbsence(errno));
}

bool File::read(uint64_t offset, MutableArrayRef<char> buffer) const {
  if (offset > bytes || buffer.size() > bytes - offset)
    return false;
  while (!buffer.empty()) {
    ssize_t got = ::pread(fd, buffer.data(), buffer.size(), offset);
    if (got < 0 && errno == EINTR)
      continue;
    if (got <= 0)
      return false;
    buffer = buffer.drop_front(got);
    offset += got;
  }
  return true;
}

bool File::isDirectory(const std::string &path) {
  struct stat info;
  if (::stat(path.c_str(), &info) == 0)
    return S_ISDIR(info.st_mode);
  if (isAbsence(errno))
    return false;
  int found = ::open(path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (found >= 0)
    ::close(found);
  return found >= 0;
}

} // namespace weir
