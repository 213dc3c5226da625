// Prints diagnostics in clang's form, with the node's name.

#include "compiler/Diagnostics.h"
#include "compiler/Place.h"
#include "compiler/terminal/Colors.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace weir {

/// A message is cut here: no model may flood the terminal.
constexpr size_t messageLimit = 1536;

std::string escaped(StringRef text, size_t limit) {
  std::string result;
  llvm::raw_string_ostream os(result);
  auto write = [&](StringRef part) {
    for (unsigned char c : part) {
      if (c >= 0x20 && c < 0x7f)
        os << c;
      else
        os << "\\x" << llvm::hexdigit(c >> 4, true)
           << llvm::hexdigit(c & 15, true);
    }
  };
  if (text.size() <= limit) {
    write(text);
    return result;
  }
  write(text.take_front(limit * 2 / 3));
  os << "...";
  write(text.take_back(limit / 3));
  return result;
}

std::string asArgument(StringRef text) {
  std::string shown = escaped(text, messageLimit), result;
  bool isPlain = !shown.empty() && llvm::all_of(shown, [](char c) {
    return llvm::isAlnum(c) || StringRef("-_=+./:,@%").contains(c);
  });
  if (isPlain)
    return shown;
  for (char c : shown)
    result += c == '\'' ? "'\\''" : std::string(1, c);
  return "'" + result + "'";
}

namespace {

/// Calls nest as deep as a model likes; a message names the innermost few.
constexpr unsigned callsShown = 4;

StringRef severity(DiagnosticSeverity severity) {
  switch (severity) {
  case DiagnosticSeverity::Note:
    return "note";
  case DiagnosticSeverity::Warning:
    return "warning";
  case DiagnosticSeverity::Error:
    return "error";
  case DiagnosticSeverity::Remark:
    return "remark";
  }
  return "error";
}

} // namespace

DiagnosticPrinter::DiagnosticPrinter(MLIRContext *context, raw_ostream &os)
    : ScopedDiagnosticHandler(context), os(os) {
  setHandler([this](Diagnostic &diagnostic) {
    print(diagnostic);
    return success();
  });
}

void DiagnosticPrinter::print(Diagnostic &diagnostic) {
  // One write: progress, or another thread's message, does not get between.
  std::string text;
  llvm::raw_string_ostream stream(text);
  print(diagnostic, stream, hasColors(os));
  os << text;
}

void DiagnosticPrinter::print(Diagnostic &diagnostic, raw_ostream &os,
                              bool isColored) {
  errors |= diagnostic.getSeverity() == DiagnosticSeverity::Error;
  std::string head;
  Place place = placeOf(diagnostic.getLocation());
  if (!place.file.empty()) {
    head = escaped(place.file);
    if (place.line)
      head += (":" + Twine(place.line) + ":" + Twine(place.column)).str();
    os << inBold(head + ": ", isColored);
  }
  os << severityLabel(severity(diagnostic.getSeverity()), isColored);
  // A text that begins with the node's op goes on after its name.
  std::string text = diagnostic.str();
  if (!place.nodes.empty())
    os << "node '" << escaped(place.nodes.front(), 160)
       << (StringRef(text).starts_with("(") ? "' " : "': ");
  SmallVector<StringRef> lines;
  StringRef(text).split(lines, '\n');
  size_t budget = messageLimit;
  for (auto [i, line] : llvm::enumerate(lines)) {
    std::string shown = escaped(line, messageLimit);
    if (i && shown.size() > budget) {
      os << "\n  ... and " << lines.size() - i << " more";
      break;
    }
    budget -= std::min(budget, shown.size());
    os << (i ? "\n" : "") << shown;
  }
  os << '\n';
  for (StringRef node : ArrayRef(place.nodes)
                            .drop_front(place.nodes.empty() ? 0 : 1)
                            .take_front(callsShown))
    os << "  called from node '" << escaped(node, 80) << "'\n";
  for (Diagnostic &note : diagnostic.getNotes())
    print(note, os, isColored);
}

SmallVector<StringRef> closest(StringRef wanted, ArrayRef<StringRef> names,
                               unsigned most) {
  // Edit distance is quadratic in the names' lengths and linear in their
  // number: both are the model's choice.
  if (wanted.empty() || wanted.size() > 256)
    return {};
  unsigned limit = std::max<size_t>(2, wanted.size() / 3);
  SmallVector<std::pair<unsigned, StringRef>> found;
  size_t looked = 0;
  for (StringRef name : names) {
    if (++looked > 100000)
      break;
    if (name.empty() || name.size() > wanted.size() + 64)
      continue;
    unsigned distance = limit + 1;
    if (name.equals_insensitive(wanted))
      distance = 1;
    if (StringRef last = name.rsplit('/').second;
        name.ends_with(wanted) || last == wanted || name.starts_with(wanted))
      distance = std::min(distance, limit);
    if (size_t apart = name.size() > wanted.size()
                           ? name.size() - wanted.size()
                           : wanted.size() - name.size();
        apart <= limit)
      distance = std::min(distance, wanted.edit_distance(name, true, limit));
    if (distance <= limit)
      found.push_back({distance, name});
  }
  llvm::sort(found);
  found.erase(std::unique(found.begin(), found.end()), found.end());
  SmallVector<StringRef> result;
  for (auto &[distance, name] : ArrayRef(found).take_front(most))
    result.push_back(name);
  return result;
}

std::string didYouMean(StringRef wanted, ArrayRef<StringRef> names) {
  std::string result;
  for (StringRef name : closest(wanted, names)) {
    result += result.empty() ? "; did you mean '" : ", '";
    result += escaped(name, 100) + "'";
  }
  return result.empty() ? result : result + "?";
}

std::string unknownValue(StringRef value, ArrayRef<StringRef> known) {
  return "unknown value '" + escaped(value) +
         "' (one of: " + llvm::join(known, ", ") + ")" +
         didYouMean(value, known);
}

} // namespace weir
