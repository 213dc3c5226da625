// Writes a node that differs as a program of its own.

#include "tools/diff/Reduce.h"

#include "dialects/weir/Attributes.h"
#include "tools/reference/FileNames.h"
#include "tools/reference/Files.h"
#include "tools/reference/StagedFiles.h"
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

static std::string textOf(ModuleOp program) {
  std::string text;
  llvm::raw_string_ostream os(text);
  OpPrintingFlags flags;
  flags.enableDebugInfo();
  program.print(os, flags);
  return text;
}

/// Writes tensors to the folder beside the file that has this ending.
static Status writeTensors(ArrayRef<std::string> names,
                           ArrayRef<reference::TensorRef> tensors,
                           StringRef path, StringRef ending,
                           reference::StagedFiles &files) {
  SmallString<128> folder(path);
  llvm::sys::path::replace_extension(folder, ending);
  reference::FileNames fileNames;
  for (StringRef name : names)
    fileNames.add(name);
  for (auto [name, tensor] : llvm::zip_equal(names, tensors)) {
    reference::Array array;
    if (Status status = reference::copyTo(array, *tensor); status != Status::ok)
      return reference::fail(status, "not enough memory for the tensors");
    std::string file;
    if (Status status = fileNames.pathOf(folder, name, file);
        status != Status::ok)
      return status;
    if (Status status = files.write(file, array); status != Status::ok)
      return status;
  }
  return Status::ok;
}

/// Writes the result of side B, which is not the reference.
static Status writeOther(const Kept &kept, const Side &b, StringRef path,
                         reference::StagedFiles &files) {
  reference::TensorRef other;
  Status status = b.read(kept, other);
  return status == Status::ok && other
             ? writeTensors(kept.output, other, path, ".outputs", files)
             : status;
}

/// The side whose result is wrong, and so whose operands are of interest.
static const Side &wrongSide(const Finding &finding, const Side &a,
                             const Side &b) {
  return finding.verdict == Verdict::wrongInB ? b : a;
}

bool canReduce(const Model &model, const Finding &finding, const Side &a,
               const Side &b, const ReferenceRun &run) {
  SmallVector<reference::TensorRef> inputs;
  return finding.subgraph.isClosed &&
         readInputs(model, finding.subgraph, wrongSide(finding, a, b), run,
                    inputs) == Status::ok &&
         !llvm::is_contained(inputs, nullptr);
}

Status writeReduced(const Model &model, const Finding &finding, const Side &a,
                    const Side &b, const ReferenceRun &run, StringRef path) {
  const std::string &tensor = model.tensors[finding.tensor].tensor;
  SmallVector<reference::TensorRef> inputs;
  if (Status status = readInputs(model, finding.subgraph, wrongSide(finding, a, b),
                                 run, inputs);
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
  StringRef parent = llvm::sys::path::parent_path(path);
  reference::StagedFiles files(parent.empty() ? "." : parent.str());
  if (Status status = writeTensors(names, inputs, path, ".inputs", files);
      status != Status::ok)
    return status;
  if (!b.isReference())
    if (Status status =
            writeOther(model.tensors[finding.tensor], b, path, files);
        status != Status::ok)
      return status;
  if (Status status = files.write(path.str(), textOf(*program));
      status != Status::ok)
    return status;
  return files.place();
}

} // namespace weir::diff
