// Picks the frontend of a file, and reads the options that name tensors.

#include "compiler/import/Import.h"

#include "compiler/import/Elements.h"
#include "compiler/import/File.h"
#include "compiler/import/Held.h"
#include "compiler/import/Ops.h"
#include "compiler/import/Report.h"
#include "compiler/import/onnx/Frontend.h"
#include "compiler/import/tensorflow/Frontend.h"

#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;

namespace weir {

static Type parseElement(MLIRContext *context, StringRef text) {
  Builder b(context);
  if (text == "f16")
    return b.getF16Type();
  if (text == "bf16")
    return b.getBF16Type();
  if (text == "f32")
    return b.getF32Type();
  if (text == "f64")
    return b.getF64Type();
  bool isUnsigned = text.consume_front("u");
  unsigned width;
  if (!text.consume_front("i") || text.getAsInteger(10, width) ||
      !llvm::is_contained({1u, 8u, 16u, 32u, 64u}, width) ||
      (isUnsigned && width == 1))
    return {};
  return isUnsigned ? b.getIntegerType(width, false) : b.getIntegerType(width);
}

/// Dimensions in decimal, or `?`, each followed by `x`, and what is behind
/// them.
static bool parseDims(StringRef &text, SmallVector<int64_t> &dims) {
  while (!text.empty() && (llvm::isDigit(text.front()) || text[0] == '?')) {
    int64_t size = ShapedType::kDynamic;
    if (!text.consume_front("?")) {
      StringRef digits = text.take_while(llvm::isDigit);
      if (digits.getAsInteger(10, size))
        return false;
      text = text.drop_front(digits.size());
    }
    dims.push_back(size);
    if (!text.empty() && !text.consume_front("x"))
      return false;
  }
  return dims.size() <= rankLimit;
}

std::optional<Feed> parseFeed(MLIRContext *context, StringRef text) {
  Feed feed;
  SmallVector<StringRef> parts;
  text.split(parts, ':');
  size_t names = 1;
  if (parts.size() > 1 && !parts[1].empty() &&
      llvm::all_of(parts[1], llvm::isDigit))
    names = 2;
  if (parts[0].empty() || parts.size() > names + 1)
    return std::nullopt;
  feed.name = parts[0].str() + (names == 2 ? ":" + parts[1].str() : "");
  if (parts.size() == names)
    return feed;
  SmallVector<int64_t> dims;
  StringRef spec = parts.back();
  if (!parseDims(spec, dims))
    return std::nullopt;
  Type element = parseElement(context, spec);
  if (!element)
    return std::nullopt;
  feed.type = RankedTensorType::get(dims, element);
  return feed;
}

bool parseShape(StringRef text, ImportOptions &options) {
  auto [name, rest] = text.rsplit('=');
  SmallVector<int64_t> dims;
  // Behind an `x` there is another dimension.
  if (name.empty() || !text.contains('=') || rest.ends_with("x") ||
      !parseDims(rest, dims) || !rest.empty())
    return false;
  if (name.ends_with(":0"))
    name = name.drop_back(2);
  options.shapes[name] = dims;
  return true;
}

bool parseDim(StringRef text, ImportOptions &options) {
  auto [name, range] = text.rsplit('=');
  auto [low, high] = range.split("..");
  DimRange parsed;
  if (name.empty() || low.getAsInteger(10, parsed.low) ||
      high.getAsInteger(10, parsed.high) || parsed.low < 0 ||
      parsed.high < parsed.low)
    return false;
  options.dims[name] = parsed;
  return true;
}

bool parseSpecialization(StringRef text, ImportOptions &options) {
  auto [name, list] = text.rsplit(':');
  SmallVector<StringRef> sizes;
  list.split(sizes, ',');
  Specialization parsed{name.str(), {}};
  for (StringRef size : sizes) {
    int64_t &number = parsed.sizes.emplace_back();
    if (size.getAsInteger(10, number) || number < 0)
      return false;
  }
  llvm::sort(parsed.sizes);
  parsed.sizes.erase(llvm::unique(parsed.sizes), parsed.sizes.end());
  options.specialization = std::move(parsed);
  return !name.empty();
}

/// Whether the file is a model of ONNX's. One that cannot be read is none, and
/// whoever reads it says why.
static bool isOnnx(MLIRContext *context, const std::string &path) {
  if (File::isDirectory(path))
    return false;
  // What is wrong with the file is said once, by its frontend.
  ScopedDiagnosticHandler mute(context, [](Diagnostic &) { return success(); });
  Report unheard(context, path);
  FailureOr<File> file = File::open(unheard, path);
  if (failed(file))
    return false;
  std::string head(std::min<uint64_t>(file->size(), 4096), 0);
  return file->read(0, {head.data(), head.size()}) && onnx::recognizes(head);
}

bool parseGradient(StringRef text, ImportOptions &options) {
  auto [loss, rest] = text.split(':');
  // The number of one of several results belongs to the loss.
  StringRef digits = rest.take_while(llvm::isDigit);
  if (!digits.empty() && rest.drop_front(digits.size()).starts_with(":")) {
    loss = text.take_front(loss.size() + 1 + digits.size());
    rest = rest.drop_front(digits.size() + 1);
  }
  SmallVector<StringRef> names;
  rest.split(names, ',');
  if (loss.empty() || llvm::is_contained(names, ""))
    return false;
  GradientRequest &request = options.gradients.emplace_back();
  request.loss = loss.str();
  for (StringRef name : names)
    request.variables.push_back(name.str());
  return true;
}

OwningOpRef<ModuleOp> importModel(MLIRContext *context,
                                  const ImportOptions &options,
                                  Status &status) {
  bool isOnnxModel = isOnnx(context, options.path);
  Report report(context, options.path);
  OwningOpRef<ModuleOp> module = isOnnxModel
                                     ? onnx::importModel(report, options)
                                     : tensorflow::importModel(report, options);
  if (module && failed(holdStates(report, *module, options)))
    module = {};
  status = report.status;
  if (!module && status == Status::ok)
    status = Status::internal;
  return status == Status::ok ? std::move(module) : OwningOpRef<ModuleOp>();
}

std::vector<FrontendOps> listOps() {
  return {{"tensorflow", tensorflow::listOps()}, {"onnx", onnx::listOps()}};
}

std::optional<ModelSummary> summarizeModel(MLIRContext *context,
                                           const ImportOptions &options,
                                           Status &status) {
  bool isOnnxModel = isOnnx(context, options.path);
  Report report(context, options.path);
  std::optional<ModelSummary> summary =
      isOnnxModel ? onnx::summarize(report, options)
                  : tensorflow::summarize(report, options);
  status = report.status;
  return summary;
}

} // namespace weir
