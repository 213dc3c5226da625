// Folders of .npy files that `weir reference` writes.

#include "tools/reference/ArrayFiles.h"

#include "tools/reference/Files.h"

#include "llvm/Support/Errno.h"

using namespace mlir;

namespace weir::reference {

std::string pathIn(StringRef folder, StringRef name) {
  std::string file = name.str();
  for (char &c : file)
    if (c == '/' || c == ':')
      c = '_';
  return (folder + "/" + file + ".npy").str();
}

ArrayFiles::~ArrayFiles() {
  for (struct whole &file : files)
    whole_drop(&file);
}

Status ArrayFiles::write(const std::string &path, Array &array) {
  if (!paths.insert(path).second)
    return fail(Status::badInput,
                "two tensors would be the file '" + escaped(path) + "'");
  char error[4600] = "";
  struct whole file = {};
  int status = npy_write(&file, path.c_str(), array.get(), error, sizeof error);
  if (status)
    return fail(static_cast<Status>(status), escaped(error, 1000));
  files.push_back(file);
  return Status::ok;
}

Status ArrayFiles::place(StringRef folder) {
  int status = whole_place(files.data(), static_cast<uint32_t>(files.size()));
  int why = errno;
  files.clear();
  return status ? fail(Status::io, "cannot write to '" + escaped(folder) +
                                       "': " + llvm::sys::StrError(why))
                : Status::ok;
}

} // namespace weir::reference
