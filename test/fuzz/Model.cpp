// Writes the files of one input, and imports them.

#include "Model.h"

#include "mlir/IR/Verifier.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace weir {

namespace {
struct Directory {
  Directory() {
    // The directory is in memory, if possible: an input is a file for a
    // millisecond.
    SmallString<64> made;
    StringRef parent = sys::fs::is_directory("/dev/shm") ? "/dev/shm" : "/tmp";
    if (sys::fs::createUniqueDirectory(parent + "/weir-fuzz", made))
      abort();
    path = made.str();
  }
  ~Directory() { sys::fs::remove_directories(path); }
  std::string path;
};
} // namespace

const std::string &fuzzDirectory() {
  static Directory directory;
  return directory.path;
}

void writeFuzzFile(StringRef name, StringRef bytes) {
  std::string path = fuzzDirectory() + "/" + name.str();
  sys::fs::create_directories(sys::path::parent_path(path));
  std::error_code code;
  raw_fd_ostream file(path, code);
  if (code)
    abort();
  file << bytes;
}

void importFuzzModel(StringRef name) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  DiagnosticPrinter printer(&context, nulls());
  ImportOptions options;
  options.path = fuzzDirectory() + "/" + name.str();
  options.allSignatures = true;
  Status status;
  auto module = importModel(&context, options, status);
  if (module && failed(mlir::verify(*module)))
    abort();
  if (!module && status == Status::ok)
    abort();
}

} // namespace weir
