// Writes a node that differs as a program of its own.

#include "tools/diff/Reduce.h"

#include "compiler/Course.h"
#include "compiler/emit/Output.h"
#include "dialects/weir/Attributes.h"
#include "tools/reference/ArrayFiles.h"
#include "tools/reference/Files.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace mlir;

namespace weir::diff {

/// A name for an input: that of its tensor, or one by its number.
static std::string nameOf(const Model &model, Value value, unsigned number) {
  auto kept = llvm::find_if(
      model.tensors, [&](const Kept &each) { return each.value == value; });
  if (kept != model.tensors.end())
    return kept->output;
  func::FuncOp function = model.function;
  if (auto argument = dyn_cast<BlockArgument>(value);
      argument && argument.getOwner() == &function.getBody().front())
    if (StringAttr name =
            attrs::name.ofArgument(function, argument.getArgNumber()))
      return name.str();
  return "input" + std::to_string(number);
}

/// Names the inputs and the output of the program, as the importer does.
static std::vector<std::string>
nameAll(const Model &model, const Finding &finding, func::FuncOp main) {
  std::vector<std::string> names;
  attrs::entry.set(main, "main");
  for (auto [i, value] : llvm::enumerate(finding.subgraph.inputs)) {
    names.push_back(nameOf(model, value, i));
    attrs::name.setOnArgument(main, i, names.back());
    attrs::tensor.setOnArgument(main, i, names.back());
  }
  const Kept &kept = model.tensors[finding.tensor];
  attrs::name.setOnResult(main, 0, kept.output);
  attrs::tensor.setOnResult(main, 0, kept.tensor);
  return names;
}

static Status writeProgram(ModuleOp program, StringRef path) {
  std::vector<OutputFile> files;
  OpPrintingFlags flags;
  flags.enableDebugInfo();
  Status status = statusOf(writeText(
      path, files, [&](raw_ostream &os) { program.print(os, flags); }));
  return status == Status::ok ? statusOf(keepAll(files)) : status;
}

/// Writes tensors to the folder beside the file that has this ending.
static Status writeTensors(ArrayRef<std::string> names,
                           ArrayRef<reference::TensorRef> tensors,
                           StringRef path, StringRef ending) {
  SmallString<128> folder(path);
  llvm::sys::path::replace_extension(folder, ending);
  if (std::error_code code = llvm::sys::fs::create_directory(folder))
    return reference::fail(Status::io, "cannot create '" + escaped(folder) +
                                           "': " + code.message());
  reference::ArrayFiles files;
  for (auto [name, tensor] : llvm::zip_equal(names, tensors)) {
    reference::Array array;
    if (Status status = reference::copyTo(array, *tensor); status != Status::ok)
      return reference::fail(status, "not enough memory for the tensors");
    if (Status status = files.write(reference::pathIn(folder, name), array);
        status != Status::ok)
      return status;
  }
  return files.place(folder);
}

/// Writes the result of side B, which is not the reference.
static Status writeOther(const Kept &kept, const Side &b, StringRef path) {
  reference::TensorRef other;
  Status status = b.read(kept, other);
  return status == Status::ok && other
             ? writeTensors(kept.output, other, path, ".outputs")
             : status;
}

Status writeReduced(const Model &model, const Finding &finding, const Side &a,
                    const Side &b, const ReferenceRun &run, StringRef path) {
  // The operands of the side whose result is wrong.
  const Side &side = finding.verdict == Verdict::wrongInB ? b : a;
  const std::string &tensor = model.tensors[finding.tensor].tensor;
  SmallVector<reference::TensorRef> inputs;
  if (Status status = readInputs(model, finding.subgraph, side, run, inputs);
      status != Status::ok)
    return status;
  if (!finding.subgraph.isClosed || llvm::is_contained(inputs, nullptr))
    return reference::fail(Status::unsupported,
                           "--reduce: '" + escaped(tensor) +
                               "' depends on a loop around it, on a function "
                               "that it calls, or on a variable");
  OwningOpRef<ModuleOp> program = programOf(finding.subgraph, *model.module);
  std::vector<std::string> names =
      nameAll(model, finding, program->lookupSymbol<func::FuncOp>("main"));
  if (Status status = writeTensors(names, inputs, path, ".inputs");
      status != Status::ok)
    return status;
  if (!b.isReference())
    if (Status status = writeOther(model.tensors[finding.tensor], b, path);
        status != Status::ok)
      return status;
  return writeProgram(*program, path);
}

} // namespace weir::diff
