// Colours of messages on a terminal.

#include "compiler/terminal/Colors.h"

#include "llvm/ADT/StringSwitch.h"

#include <cstdlib>

using namespace llvm;

namespace weir {

bool hasColors(raw_ostream &os) {
  // https://no-color.org: any value but the empty one counts.
  const char *noColor = std::getenv("NO_COLOR");
  return (!noColor || !*noColor) && os.has_colors();
}

static constexpr StringLiteral reset = "\033[0m";

std::string severityLabel(StringRef severity, bool isColored) {
  std::string text = (severity + ": ").str();
  if (!isColored)
    return text;
  StringRef color = StringSwitch<StringRef>(severity)
                        .Case("warning", "\033[1;35m")
                        .Case("note", "\033[1;36m")
                        .Case("remark", "\033[1;34m")
                        .Default("\033[1;31m");
  return (color + text + reset).str();
}

std::string inBold(StringRef text, bool isColored) {
  return isColored ? ("\033[1m" + text + reset).str() : text.str();
}

raw_ostream &message(StringRef severity, StringRef tool) {
  bool isColored = hasColors(errs());
  // One write: the line is not cut by another thread's.
  return errs() << inBold((tool + ": ").str(), isColored) +
                       severityLabel(severity, isColored);
}

} // namespace weir
