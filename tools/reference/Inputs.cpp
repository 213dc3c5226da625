// Reads the inputs of `weir reference`: files, values and random numbers.

#include "compiler/terminal/Colors.h"
#include "tools/reference/Array.h"
#include "tools/reference/FileNames.h"
#include "tools/reference/Files.h"
#include "tools/reference/Signature.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace weir::reference {

Status fail(Status status, const Twine &text) {
  message("error") << text << "\n";
  return status;
}

namespace {

class InputReader {
public:
  InputReader(func::FuncOp function, const ReferenceOptions &options,
              const Limits &limits, SmallVectorImpl<TensorRef> &to)
      : inputs(inputsOf(function)), options(options), limits(limits), to(to) {
    StringRef(options.random).getAsInteger(10, seed);
  }

  Status read() {
    if (Status status = checkNames(); status != Status::ok)
      return status;
    if (Status status = checkBytes(); status != Status::ok)
      return status;
    to.resize(inputs.size());
    for (unsigned i = 0; i < inputs.size(); ++i)
      if (!inputs[i].isSizes)
        if (Status status = readOne(i); status != Status::ok)
          return status;
    return Status::ok;
  }

private:
  /// Each `--input` must mean an input.
  Status checkNames() const {
    for (StringRef text : options.inputs) {
      auto [name, value] = text.split('=');
      if (name.size() == text.size())
        return fail(Status::badUsage,
                    "--input=" + escaped(text) + " is not NAME=VALUE");
      SmallVector<StringRef> names;
      for (const SignatureTensor &input : inputs)
        if (!input.isSizes)
          names.push_back(input.tensor);
      if (llvm::none_of(inputs, [&, name = name](const SignatureTensor &input) {
            return !input.isSizes && input.isCalled(name);
          }))
        return fail(Status::badInput,
                    "no input is called '" + escaped(name) + "'" +
                        (names.empty() ? std::string("; the function has none")
                                       : "; the inputs are '" +
                                             llvm::join(names, "', '") + "'"));
    }
    return Status::ok;
  }

  /// The inputs must fit into the memory for tensors, before they are read.
  Status checkBytes() const {
    uint64_t bytes = 0;
    for (const SignatureTensor &input : inputs)
      bytes = llvm::SaturatingMultiplyAdd<uint64_t>(input.type.getNumElements(),
                                                    sizeof(Lane), bytes);
    return bytes <= limits.bytes
               ? Status::ok
               : fail(Status::limit, "the inputs have more than " +
                                         Twine(limits.bytes) +
                                         " bytes, 8 for each element");
  }

  /// The value of the last `--input` that means this one, or none.
  std::optional<std::string> given(const SignatureTensor &input) const {
    for (StringRef text : llvm::reverse(options.inputs))
      if (auto [name, value] = text.split('='); input.isCalled(name))
        return value.str();
    return std::nullopt;
  }

  /// Reads `@FILE.npy`, `2x3xf32=1,2,3` or `1,2,3`.
  Status parse(const std::string &text, const SignatureTensor &input,
               Array &array) const {
    char error[4600] = "";
    int status;
    if (text[0] == '@') {
      status = npy_read(text.c_str() + 1, array.get(), error, sizeof error);
    } else if (!input.sizes && !StringRef(text).contains('=')) {
      array.describe(input.type);
      status = value_fill(text.c_str(), array.get(), error, sizeof error);
    } else {
      status = value_parse(text.c_str(), array.get(), error, sizeof error);
    }
    return status ? fail(static_cast<Status>(status), escaped(error, 1000))
                  : Status::ok;
  }

  Status readArray(unsigned i, Array &array) const {
    const SignatureTensor &input = inputs[i];
    if (auto text = given(input))
      return parse(*text, input, array);
    if (!options.inputDir.empty()) {
      std::string path;
      if (Status status =
              fileNamesOf(inputs).pathOf(options.inputDir, input.name, path);
          status != Status::ok)
        return status;
      if (options.random.empty() || llvm::sys::fs::exists(path))
        return parse("@" + path, input, array);
    }
    array.describe(input.type);
    if (options.random.empty())
      return fail(Status::badInput,
                  "input '" + escaped(input.tensor) + "' (" + array.typeText() +
                      ") is missing: give --input=" + escaped(input.tensor) +
                      "=..., --input-dir=DIR or --random=SEED");
    if (Status status = array.allocate(); status != Status::ok)
      return fail(status, "not enough memory for the inputs");
    value_random(array.get(), seed + i);
    return Status::ok;
  }

  Status mismatch(const SignatureTensor &input, const Array &array) const {
    Array wanted;
    wanted.describe(input.type);
    return fail(
        Status::badInput,
        "'" + escaped(input.tensor) + "': expected " + wanted.typeText() +
            (input.sizes ? " at most, got " : ", got ") + array.typeText());
  }

  Status readOne(unsigned i) {
    const SignatureTensor &input = inputs[i];
    Array array;
    if (Status status = readArray(i, array); status != Status::ok)
      return status;
    std::optional<Tensor> tensor = tensorOf(array, input.type.getElementType());
    if (!tensor || (input.sizes ? array->rank != input.type.getRank()
                                : tensor->type() != input.type))
      return mismatch(input, array);
    if (input.sizes)
      spread(*tensor, i);
    else
      to[i] = std::make_shared<Tensor>(std::move(*tensor));
    return Status::ok;
  }

  /// Moves a tensor to the front of a buffer of the largest sizes. The model
  /// itself checks its sizes, and reads no element if they are too large.
  void spread(const Tensor &tensor, unsigned i) {
    Tensor buffer(inputs[i].type), sizes(inputs[*inputs[i].sizes].type);
    bool fits = true;
    for (auto [k, size] : llvm::enumerate(tensor.shape())) {
      sizes.setInteger(k, size);
      fits &= size <= buffer.shape()[k];
    }
    if (fits)
      std::copy_n(tensor.data(), tensor.size(), buffer.data());
    to[*inputs[i].sizes] = std::make_shared<Tensor>(std::move(sizes));
    to[i] = std::make_shared<Tensor>(std::move(buffer));
  }

  std::vector<SignatureTensor> inputs;
  const ReferenceOptions &options;
  const Limits &limits;
  SmallVectorImpl<TensorRef> &to;
  uint64_t seed = 0;
};

} // namespace

Status readInputs(func::FuncOp function, const ReferenceOptions &options,
                  const Limits &limits, SmallVectorImpl<TensorRef> &inputs) {
  return InputReader(function, options, limits, inputs).read();
}

} // namespace weir::reference
