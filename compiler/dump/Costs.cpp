// The costs of assembly, as llvm-mca estimates them.

#include "compiler/dump/Costs.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace weir {
namespace {

/// The lines from a label to the last jump back to it.
struct Loop {
  StringRef label;
  size_t first, last;
};

/// `.LBB0_3` of the line `.LBB0_3:  # comment`; empty for other lines.
StringRef labelOf(StringRef line) {
  if (!line.starts_with(".L"))
    return "";
  auto [label, rest] = line.split(':');
  return label.size() < line.size() ? label : "";
}

/// Whether the line is the label of a function.
bool isFunction(StringRef line) {
  return !line.empty() && !line.starts_with(".") && !line.starts_with("\t") &&
         !line.starts_with(" ") && line.split(' ').first.ends_with(":");
}

/// The last operand of an instruction: the label, if it is a jump.
StringRef lastOperand(StringRef line, StringRef comment) {
  if (!line.starts_with("\t") || line.starts_with("\t."))
    return "";
  StringRef code = line.split(comment).first.rtrim();
  return code.substr(code.find_last_of("\t ,") + 1);
}

SmallVector<Loop> loopsOf(ArrayRef<StringRef> lines, StringRef comment) {
  StringMap<size_t> labels;
  SmallVector<Loop> loops;
  StringMap<size_t> loopAt;
  for (auto [i, line] : enumerate(lines)) {
    if (StringRef label = labelOf(line); !label.empty()) {
      labels[label] = i;
      continue;
    }
    StringRef target = lastOperand(line, comment);
    auto found = target.empty() ? labels.end() : labels.find(target);
    if (found == labels.end())
      continue;
    auto [entry, isNew] = loopAt.try_emplace(target, loops.size());
    if (isNew)
      loops.push_back({target, found->second, i});
    else
      loops[entry->second].last = i;
  }
  return loops;
}

/// Loops without another loop between their first and their last line.
SmallVector<Loop> innermostOf(ArrayRef<Loop> loops) {
  SmallVector<Loop> innermost;
  for (const Loop &loop : loops)
    if (none_of(loops, [&](const Loop &other) {
          return loop.first < other.first && other.first <= loop.last;
        }))
      innermost.push_back(loop);
  return innermost;
}

std::string findTool() {
  for (StringRef name : {"llvm-mca-19", "llvm-mca"})
    if (ErrorOr<std::string> path = sys::findProgramByName(name))
      return *path;
  return "";
}

std::string readText(StringRef path) {
  auto buffer = MemoryBuffer::getFile(path);
  return buffer ? (*buffer)->getBuffer().str() : "";
}

/// A temporary file that is removed with the object.
struct Temporary {
  explicit Temporary(StringRef suffix) {
    code = sys::fs::createTemporaryFile("weir-mca", suffix, path);
    if (!code)
      remover.setFile(path);
  }

  SmallString<128> path;
  FileRemover remover;
  std::error_code code;
};

/// The number of instructions that llvm-mca simulates, at most about.
constexpr size_t simulated = 200000;

std::string runTool(StringRef tool, StringRef assembly, TargetAttr target) {
  Temporary input("s"), output("txt"), errors("txt");
  std::error_code code = input.code    ? input.code
                         : output.code ? output.code
                                       : errors.code;
  if (!code) {
    raw_fd_ostream os(input.path, code);
    if (!code) {
      os << assembly;
      os.close();
      code = os.error();
      os.clear_error();
    }
  }
  if (code)
    return "note: no costs: " + code.message() + "\n";
  size_t iterations =
      std::clamp<size_t>(simulated / (assembly.count('\n') + 1), 1, 100);
  std::string triple = ("-mtriple=" + target.getTriple()).str();
  std::string cpu = ("-mcpu=" + target.getCpu()).str();
  std::string features = ("-mattr=" + target.getFeatures()).str();
  std::string repeats = "-iterations=" + std::to_string(iterations);
  StringRef arguments[] = {tool,
                           triple,
                           cpu,
                           features,
                           repeats,
                           "-resource-pressure=false",
                           "-skip-unsupported-instructions=any",
                           input.path};
  std::optional<StringRef> streams[] = {StringRef(""), StringRef(output.path),
                                        StringRef(errors.path)};
  std::string problem;
  int status = sys::ExecuteAndWait(tool, arguments, std::nullopt, streams, 0, 0,
                                   &problem);
  if (!status)
    return readText(output.path);
  if (problem.empty())
    problem = readText(errors.path);
  StringRef line = StringRef(problem).ltrim().split('\n').first;
  return ("note: no costs: llvm-mca failed: " + line + "\n").str();
}

} // namespace

std::string markRegions(StringRef assembly, StringRef comment) {
  SmallVector<StringRef> lines;
  assembly.split(lines, '\n');
  // llvm-mca reads directives in comments with # for all processors, and none
  // in those with //.
  std::string begin = "# LLVM-MCA-BEGIN ", end = "# LLVM-MCA-END ";
  SmallVector<std::string> after(lines.size());
  for (auto [i, line] : enumerate(lines)) {
    if (isFunction(line))
      after[i] = begin + "kernel\n";
    else if (labelOf(line).starts_with(".Lfunc_end"))
      after[i] = end + "kernel\n";
  }
  for (const Loop &loop : innermostOf(loopsOf(lines, comment))) {
    std::string name = ("loop_" + loop.label + "\n").str();
    after[loop.first] = begin + name;
    after[loop.last] = end + name;
  }
  std::string marked;
  for (auto [line, mark] : zip_equal(lines, after))
    marked += line.str() + "\n" + mark;
  return marked;
}

std::string costsOf(StringRef assembly, StringRef comment, TargetAttr target) {
  std::string tool = findTool();
  if (tool.empty())
    return "note: no costs: llvm-mca is not installed (Debian's package llvm "
           "has it)\n";
  return runTool(tool, markRegions(assembly, comment), target);
}

} // namespace weir
