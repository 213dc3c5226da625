// Files that appear together when all are complete.

#include "tools/reference/StagedFiles.h"

#include "compiler/SystemErrors.h"
#include "tools/reference/Files.h"

#include "llvm/Support/Errno.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

extern "C" {
#include "tools/run/file/whole.h"
}

using namespace mlir;
namespace fs = llvm::sys::fs;

namespace weir::reference {

Status createFolders(StringRef path) {
  if (path.empty())
    return Status::ok;
  // The rights of mkdir, which weir-run calls.
  std::error_code code =
      fs::create_directories(path, /*IgnoreExisting=*/true, fs::perms::all_all);
  return code ? fail(systemStatus(code),
                     "cannot create '" + escaped(path) + "': " + code.message())
              : Status::ok;
}

Status StagedFiles::stage(const std::string &path, std::string &temporary) {
  if (!known.insert(path).second)
    return fail(Status::badInput,
                "two tensors would be the file '" + escaped(path) + "'");
  if (paths.empty())
    if (Status status = folder.create(parent); status != Status::ok)
      return status;
  temporary = folder.pathOf(std::to_string(paths.size()));
  paths.push_back(path);
  return Status::ok;
}

Status StagedFiles::write(const std::string &path, Array &array) {
  std::string temporary;
  if (Status status = stage(path, temporary); status != Status::ok)
    return status;
  char error[4600] = "";
  struct whole file = {};
  int status =
      npy_write(&file, temporary.c_str(), array.get(), error, sizeof error);
  if (status)
    return fail(static_cast<Status>(status), escaped(error, 1000));
  return whole_place(&file, 1)
             ? fail(Status::io, "cannot write to '" + escaped(path) +
                                    "': " + llvm::sys::StrError())
             : Status::ok;
}

Status StagedFiles::write(const std::string &path, StringRef text) {
  std::string temporary;
  if (Status status = stage(path, temporary); status != Status::ok)
    return status;
  struct whole file = {};
  bool isWritten =
      !whole_begin(&file, temporary.c_str()) &&
      fwrite(text.data(), 1, text.size(), file.file) == text.size() &&
      !whole_end(&file) && !whole_place(&file, 1);
  if (isWritten)
    return Status::ok;
  int why = errno;
  whole_drop(&file);
  return fail(Status::io, "cannot write to '" + escaped(path) +
                              "': " + llvm::sys::StrError(why));
}

Status StagedFiles::place() {
  std::vector<struct whole> files(paths.size());
  for (auto [i, path] : llvm::enumerate(paths)) {
    std::string temporary = folder.pathOf(std::to_string(i));
    if (path.size() >= sizeof files[i].path ||
        temporary.size() >= sizeof files[i].temporary)
      return fail(Status::io, "'" + escaped(path) + "': the path is too long");
    // An exchange of two names would also take a folder away.
    if (fs::exists(path) && !fs::is_regular_file(path))
      return fail(Status::io, "'" + escaped(path) + "' is no regular file");
    path.copy(files[i].path, path.size());
    temporary.copy(files[i].temporary, temporary.size());
  }
  // A signal waits, so that it finds all files or none.
  auto lock = TemporaryFolder::holdSignals();
  for (StringRef path : paths)
    if (Status status = createFolders(llvm::sys::path::parent_path(path));
        status != Status::ok)
      return status;
  if (whole_place(files.data(), static_cast<uint32_t>(files.size())))
    return fail(Status::io, "cannot write to '" + escaped(parent) +
                                "': " + llvm::sys::StrError());
  return Status::ok;
}

} // namespace weir::reference
