// How a tool leaves the standard streams.

#include "compiler/Streams.h"

namespace weir {

Status flushed(llvm::StringRef tool, Status status) {
  llvm::outs().flush();
  std::error_code code = llvm::outs().error();
  llvm::outs().clear_error();
  if (code && status == Status::ok) {
    llvm::errs() << tool << ": error: cannot write 'standard output': "
                 << code.message() << "\n";
    status = Status::io;
  }
  llvm::errs().clear_error();
  return status;
}

} // namespace weir
