// The two sides of a comparison: where their tensors come from.

#include "tools/diff/Side.h"

#include "compiler/import/Import.h"
#include "compiler/reference/Reference.h"
#include "compiler/terminal/Colors.h"
#include "dialects/graph/Graph.h"
#include "dialects/weir/TensorName.h"
#include "tools/reference/Array.h"
#include "tools/reference/FileNames.h"
#include "tools/reference/Files.h"
#include "llvm/Support/FileSystem.h"
#include <cmath>

using namespace mlir;

namespace weir::diff {

using reference::Tensor;
using reference::TensorRef;

static double magnitudeOf(const Tensor &tensor) {
  double most = 0;
  for (int64_t i = 0; tensor.isFloat() && i < tensor.size(); ++i)
    if (std::isfinite(tensor[i].number))
      most = std::max(most, std::abs(tensor[i].number));
  return most;
}

/// The result of an optional run that failed: side B is no reference, so that
/// only nodes are not evaluated one by one.
static Status goWithout(llvm::Error error) {
  message("note") << escaped(llvm::toString(std::move(error)), 1000)
                  << ": the reference has no values of this model\n";
  return Status::ok;
}

Status evaluate(const Model &model, const Options &options, bool isOptional,
                ReferenceRun &run) {
  reference::Limits limits;
  if (Status status = reference::readLimits(options, limits);
      status != Status::ok)
    return status;
  if (Status status = reference::readInputs(model.function, options.reference,
                                            limits, run.inputs);
      status != Status::ok)
    return status;
  llvm::DenseSet<Value> wanted;
  for (const Kept &kept : model.tensors) {
    wanted.insert(kept.value);
    if (kept.sizes)
      wanted.insert(kept.sizes);
  }
  func::FuncOp function = model.function;
  for (auto [argument, input] :
       llvm::zip_equal(function.getArguments(), run.inputs)) {
    run.values[argument] = input;
    run.magnitudes[argument] = magnitudeOf(*input);
  }
  auto observe = [&](StringRef, Value value, const TensorRef &tensor) {
    double &most = run.magnitudes[value];
    most = std::max(most, magnitudeOf(*tensor));
    if (wanted.contains(value))
      run.values[value] = tensor;
  };
  auto results = reference::evaluate(*model.module, options.reference.function,
                                     run.inputs, limits, observe);
  run.isComplete = bool(results);
  if (run.isComplete)
    return Status::ok;
  return isOptional
             ? goWithout(results.takeError())
             : reference::explain(results.takeError(), options.import.path);
}

/// The file with an output of a library, or nothing: with an escaped name, if
/// the library has another output of the same short name.
static std::string findOutput(StringRef folder, StringRef name) {
  for (bool escapes : {true, false})
    if (std::string path = reference::pathIn(folder, name, escapes);
        !path.empty() && llvm::sys::fs::exists(path))
      return path;
  return "";
}

Status Side::findFiles(const Model &model) {
  llvm::StringMap<StringRef> owners;
  for (const Kept &kept : model.tensors) {
    std::string path = findOutput(folder, kept.output);
    if (path.empty())
      continue;
    auto [owner, isNew] = owners.try_emplace(path, kept.output);
    if (!isNew)
      return reference::fail(Status::badInput,
                             "'" + escaped(path) + "' may be of tensor '" +
                                 escaped(owner->second) + "' or of '" +
                                 escaped(kept.output) + "'");
    files[kept.tensor] = path;
  }
  // Other programs know only the names in the model.
  for (const Kept &kept : model.tensors) {
    for (StringRef name : {StringRef(kept.tensor), withoutIndex(kept.tensor)}) {
      std::string path = findOutput(folder, name);
      if (!path.empty() && !files.contains(kept.tensor) &&
          owners.try_emplace(path, kept.output).second)
        files[kept.tensor] = path;
    }
  }
  return Status::ok;
}

/// Reads a file. Floats of another width, as NumPy computes them, keep it.
static Status readFile(const std::string &path, Type element, TensorRef &to) {
  reference::Array array;
  char error[4600] = "";
  if (int status = npy_read(path.c_str(), array.get(), error, sizeof error))
    return reference::fail(static_cast<Status>(status), escaped(error, 1000));
  std::optional<Tensor> tensor = reference::tensorOf(array, element);
  if (!tensor)
    tensor = reference::tensorOf(
        array, parseElement(element.getContext(), dtype_name(array->dtype)));
  if (!tensor)
    return reference::fail(Status::badInput, "'" + escaped(path) +
                                                 "' has elements of " +
                                                 dtype_name(array->dtype));
  to = std::make_shared<Tensor>(std::move(*tensor));
  return Status::ok;
}

/// Whether it is in a branch or a loop inside of a loop. The last round of the
/// outer loop may not reach it, and the reference keeps an earlier value then.
static bool mayBeStale(Value value) {
  Operation *op = value.getParentBlock()->getParentOp();
  if (!isa<graph::IfOp, graph::WhileOp>(op))
    return false;
  return op->getParentOfType<graph::WhileOp>() != nullptr;
}

Status Side::read(const Kept &kept, TensorRef &to) const {
  to = nullptr;
  if (mayBeStale(kept.value))
    return Status::ok;
  if (!run) {
    std::string path = files.lookup(kept.tensor);
    return path.empty() ? Status::ok
                        : readFile(path, getElementTypeOrSelf(kept.value), to);
  }
  to = run->values.lookup(kept.value);
  if (!to || !kept.sizes)
    return Status::ok;
  TensorRef sizes = run->values.lookup(kept.sizes);
  std::optional<Tensor> part =
      sizes ? reference::partOf(*to, *sizes) : std::nullopt;
  to = part ? std::make_shared<Tensor>(std::move(*part)) : nullptr;
  return Status::ok;
}

} // namespace weir::diff
