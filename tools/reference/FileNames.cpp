// The names of files for tensors, by the rule of weir-run.

#include "tools/reference/FileNames.h"

#include "tools/reference/Files.h"

extern "C" {
#include "tools/run/file/name.h"
}

using namespace mlir;

namespace weir::reference {

std::string pathIn(StringRef folder, StringRef name, bool escapes) {
  char file[MAX_FILE_NAME + 1];
  if (file_name(name.str().c_str(), escapes, file))
    return "";
  return (folder + "/" + file).str();
}

void FileNames::add(StringRef name) {
  ++counts[pathIn("", name, /*escapes=*/false)];
}

Status FileNames::pathOf(StringRef folder, StringRef name,
                         std::string &path) const {
  std::string shortName = pathIn("", name, /*escapes=*/false);
  path = pathIn(folder, name, counts.lookup(shortName) > 1);
  return path.empty() ? fail(Status::badInput,
                             "'" + escaped(name) +
                                 "': the name is too long for a file in '" +
                                 escaped(folder) + "'")
                      : Status::ok;
}

} // namespace weir::reference
