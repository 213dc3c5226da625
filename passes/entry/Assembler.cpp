// Runs ptxas on temporary files.

#include "passes/entry/Assembler.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace weir::entry {

std::optional<std::string> findAssembler() {
  if (std::optional<std::string> home = sys::Process::GetEnv("CUDA_HOME")) {
    SmallString<128> path(*home);
    sys::path::append(path, "bin", "ptxas");
    if (sys::fs::can_execute(path))
      return path.str().str();
  }
  if (ErrorOr<std::string> path = sys::findProgramByName("ptxas"))
    return *path;
  return std::nullopt;
}

bool assemble(StringRef assembler, StringRef ptx, StringRef arch,
              std::string &code, std::string &problem) {
  SmallString<128> from, to, said;
  int file;
  std::error_code error =
      sys::fs::createTemporaryFile("weir", "ptx", file, from);
  if (error) {
    problem = error.message();
    return false;
  }
  auto remove = make_scope_exit([&] {
    for (StringRef path : {from.str(), to.str(), said.str()})
      if (!path.empty())
        sys::fs::remove(path);
  });
  {
    raw_fd_ostream os(file, /*shouldClose=*/true);
    os << ptx;
    os.flush();
    error = os.error();
    os.clear_error();
  }
  if (!error)
    error = sys::fs::createTemporaryFile("weir", "cubin", to);
  if (!error)
    error = sys::fs::createTemporaryFile("weir", "txt", said);
  if (error) {
    problem = error.message();
    return false;
  }
  std::string target = ("-arch=" + arch).str();
  std::optional<StringRef> streams[] = {StringRef(""), said.str(), said.str()};
  int status = sys::ExecuteAndWait(
      assembler, {assembler, target, "-O3", from, "-o", to}, std::nullopt,
      streams, /*SecondsToWait=*/600, /*MemoryLimit=*/0, &problem);
  auto read = [](StringRef path) {
    auto buffer = MemoryBuffer::getFile(path, /*IsText=*/false,
                                        /*RequiresNullTerminator=*/false);
    return buffer ? (*buffer)->getBuffer().str() : std::string();
  };
  if (status != 0) {
    if (problem.empty())
      problem = StringRef(read(said)).trim().str();
    return false;
  }
  code = read(to);
  return !code.empty();
}

} // namespace weir::entry
