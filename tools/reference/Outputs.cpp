// Writes the outputs of `weir reference`, all or none.

#include "tools/reference/ArrayFiles.h"
#include "tools/reference/Files.h"
#include "tools/reference/Signature.h"

#include "llvm/Support/JSON.h"

using namespace mlir;

namespace weir::reference {

std::optional<Tensor> partOf(const Tensor &tensor, const Tensor &sizes) {
  SmallVector<int64_t> shape;
  for (auto [k, most] : llvm::enumerate(tensor.shape())) {
    shape.push_back(sizes.integer(k));
    if (shape.back() < 0 || shape.back() > most)
      return std::nullopt;
  }
  Tensor part(tensor.type().clone(shape));
  std::copy_n(tensor.data(), part.size(), part.data());
  return part;
}

namespace {

void print(const SignatureTensor &output, const Array &array, int64_t count,
           raw_ostream &os) {
  constexpr int64_t most = 64;
  os << escaped(output.name) << ": " << array.typeText() << "=";
  for (int64_t i = 0; i < std::min(count, most); ++i)
    os << (i ? "," : "") << array.elementText(i);
  os << (count > most ? ",...\n" : "\n");
}

llvm::json::Value describe(const SignatureTensor &output, const Array &array) {
  return llvm::json::Object{{"name", llvm::json::fixUTF8(output.name)},
                            {"tensor", llvm::json::fixUTF8(output.tensor)},
                            {"type", array.typeText()}};
}

} // namespace

Status writeOutputs(func::FuncOp function, ArrayRef<TensorRef> results,
                    ArrayRef<TensorRef> errors, const ReferenceOptions &options,
                    bool json, raw_ostream &os) {
  std::vector<SignatureTensor> outputs = outputsOf(function);
  StringRef folder = options.outputDir;
  ArrayFiles files;
  llvm::json::Array described;
  for (auto [i, output] : llvm::enumerate(outputs)) {
    if (output.isSizes)
      continue;
    auto inUse = [&, &output = output](const Tensor &all) {
      return output.sizes ? partOf(all, *results[*output.sizes]) : all;
    };
    std::optional<Tensor> tensor = inUse(*results[i]);
    if (!tensor)
      return fail(Status::badInput,
                  "output '" + escaped(output.tensor) +
                      "': its sizes are larger than its type");
    if (options.writesF64 && tensor->isFloat())
      tensor = tensor->asF64();
    Array array;
    if (Status status = copyTo(array, *tensor); status != Status::ok)
      return fail(status, "not enough memory for the outputs");
    described.push_back(describe(output, array));
    if (folder.empty() && !json)
      print(output, array, tensor->size(), os);
    if (folder.empty())
      continue;
    if (Status status = files.write(pathIn(folder, output.name), array);
        status != Status::ok)
      return status;
    if (errors.empty())
      continue;
    Array error;
    if (Status status = copyTo(error, *inUse(*errors[i])); status != Status::ok)
      return fail(status, "not enough memory for the outputs");
    if (Status status =
            files.write(pathIn(folder, output.name + ".error"), error);
        status != Status::ok)
      return status;
  }
  if (json)
    os << llvm::json::Value(
              llvm::json::Object{{"outputs", std::move(described)}})
       << "\n";
  return folder.empty() ? Status::ok : files.place(folder);
}

} // namespace weir::reference
