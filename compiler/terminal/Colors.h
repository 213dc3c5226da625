// Colours of messages on a terminal.

#ifndef WEIR_COMPILER_TERMINAL_COLORS_H
#define WEIR_COMPILER_TERMINAL_COLORS_H

#include "llvm/Support/raw_ostream.h"

namespace weir {

/// Whether messages to `os` have colours: it is a terminal with colours, and
/// NO_COLOR is not set. TERM=dumb has none.
bool hasColors(llvm::raw_ostream &os);

/// `text` with the colour of its severity (`error`, `warning`, `note`,
/// `remark`, `internal error`) and a colon: the words of clang's messages.
std::string severityLabel(llvm::StringRef severity, bool isColored);

/// `text` in bold type.
std::string inBold(llvm::StringRef text, bool isColored);

/// Begins a line of stderr: `weir: error: `. The caller ends the line.
llvm::raw_ostream &message(llvm::StringRef severity,
                           llvm::StringRef tool = "weir");

} // namespace weir

#endif // WEIR_COMPILER_TERMINAL_COLORS_H
