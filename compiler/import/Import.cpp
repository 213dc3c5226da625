// Picks the frontend of a file, and reads the options that name tensors.

#include "compiler/import/Import.h"

#include "compiler/import/Elements.h"
#include "compiler/import/File.h"
#include "compiler/import/FileKind.h"
#include "compiler/import/FixedValues.h"
#include "compiler/import/Ops.h"
#include "compiler/import/Report.h"
#include "compiler/import/StateInputs.h"
#include "compiler/import/debug/Instruments.h"
#include "compiler/import/onnx/Frontend.h"
#include "compiler/import/tensorflow/Frontend.h"
#include "compiler/import/tensorflow/file/Summary.h"
#include "dialects/weir/TensorName.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Verifier.h"

using namespace mlir;

namespace weir {

Type parseElement(MLIRContext *context, StringRef text) {
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

static bool isDimName(StringRef text) {
  return !text.empty() && !llvm::isDigit(text.front()) &&
         llvm::all_of(text,
                      [](char c) { return llvm::isAlnum(c) || c == '_'; });
}

/// The parts of a shape: with a comma anywhere, what is between commas; else
/// what is between `x`s, so that names there have none.
static SmallVector<StringRef> shapeParts(StringRef text) {
  SmallVector<StringRef> parts;
  text.split(parts, text.contains(',') ? ',' : 'x');
  return parts;
}

/// A dimension: its size in decimal, or `?`, `-1` or a name where it is open.
static bool parseSize(StringRef text, GivenShape &shape) {
  int64_t size = ShapedType::kDynamic;
  bool isNamed = isDimName(text);
  if (!isNamed && text != "?" && text != "-1" &&
      (text.empty() || !llvm::all_of(text, llvm::isDigit) ||
       text.getAsInteger(10, size)))
    return false;
  shape.sizes.push_back(size);
  shape.names.push_back(isNamed ? text.str() : "");
  return shape.sizes.size() <= rankLimit;
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
  SmallVector<StringRef> dims = shapeParts(parts.back());
  Type element = parseElement(context, dims.pop_back_val());
  if (!element)
    return std::nullopt;
  GivenShape shape;
  for (StringRef dim : dims)
    if (!parseSize(dim, shape))
      return std::nullopt;
  feed.type = RankedTensorType::get(shape.sizes, element);
  feed.dimNames = std::move(shape.names);
  return feed;
}

bool parseShape(StringRef text, ImportOptions &options) {
  auto [name, rest] = text.rsplit('=');
  if (name.empty() || !text.contains('='))
    return false;
  GivenShape shape;
  if (!rest.empty())
    for (StringRef dim : shapeParts(rest))
      if (!parseSize(dim, shape))
        return false;
  options.shapes[withoutIndex(name)] = std::move(shape);
  return true;
}

static bool parseDim(StringRef text, llvm::StringMap<DimRange> &dims) {
  auto [name, range] = text.rsplit('=');
  auto [low, high] = range.split("..");
  // One size stands for itself.
  if (!range.contains(".."))
    high = low;
  DimRange parsed;
  if (name.empty() || low.getAsInteger(10, parsed.low) ||
      high.getAsInteger(10, parsed.high) || parsed.low < 0 ||
      parsed.high < parsed.low)
    return false;
  dims[name] = parsed;
  return true;
}

bool parseDim(StringRef text, ImportOptions &options) {
  return parseDim(text, options.dims);
}

bool parseVariant(StringRef text, ImportOptions &options) {
  auto [name, list] = text.split(':');
  Variant variant{name.str(), {}};
  SmallVector<StringRef> dims;
  list.split(dims, ',');
  if (name.empty() || !llvm::all_of(dims, [&](StringRef dim) {
        return parseDim(dim, variant.dims);
      }))
    return false;
  options.variants.push_back(std::move(variant));
  return true;
}

ImportOptions withVariant(const ImportOptions &options,
                          const Variant &variant) {
  ImportOptions own = options;
  own.variants.clear();
  for (const auto &dim : variant.dims)
    own.dims[dim.getKey()] = dim.getValue();
  return own;
}

bool parseValue(StringRef text, ImportOptions &options) {
  auto [name, value] = text.split('=');
  if (name.empty() || value.empty())
    return false;
  options.values.push_back({name.str(), value.str()});
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

/// Whether the file is a model of ONNX's.
static FailureOr<bool> isOnnx(Report &report, const std::string &path) {
  if (File::isDirectory(path))
    return false;
  FailureOr<File> file = File::open(report, path);
  if (failed(file))
    return failure();
  // A text may begin with comments.
  std::string head(std::min<uint64_t>(file->size(), 1 << 16), 0);
  if (file->read(0, {head.data(), head.size()}))
    return onnx::recognizes(head);
  report.error(Status::io) << "cannot read";
  return failure();
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

/// What is fed cannot have a value of its own besides, nor one that changes.
static LogicalResult checkValues(Report &report, const ImportOptions &options) {
  for (const FixedValue &value : options.values) {
    StringRef other;
    for (const Feed &feed : options.feeds)
      if (isSameTensor(feed.name, value.input))
        other = "--feed makes it an input";
    for (const StateInput &state : options.states)
      if (isSameTensor(state.input, value.input))
        other = "--state makes it state";
    for (const FixedValue &again : options.values)
      if (&again != &value && isSameTensor(again.input, value.input))
        other = "it is given twice";
    if (!other.empty())
      return report.error(Status::badUsage)
             << "--value=" << escaped(value.input) << ": " << other;
  }
  return success();
}

OwningOpRef<ModuleOp> importModel(MLIRContext *context,
                                  const ImportOptions &options,
                                  Status &status) {
  Report report(context, options.path);
  OwningOpRef<ModuleOp> module;
  if (succeeded(checkValues(report, options)) &&
      succeeded(checkKind(report, options.path)))
    if (FailureOr<bool> isOnnxModel = isOnnx(report, options.path);
        succeeded(isOnnxModel))
      module = *isOnnxModel ? onnx::importModel(report, options)
                            : tensorflow::importModel(report, options);
  if (module && failed(verify(*module))) {
    report.error() << "the importer made a wrong module";
    report.status = Status::internal;
    module = {};
  }
  if (module && options.instruments &&
      failed(options.instruments->finish(report, *module)))
    module = {};
  if (module && failed(makeStateInputs(report, *module, options)))
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
                                           bool wantsValues, Status &status) {
  Report report(context, options.path);
  std::optional<ModelSummary> summary;
  if (std::string prefix = checkpointPrefix(options.path); !prefix.empty())
    summary = tensorflow::summarizeCheckpoint(report, prefix);
  else if (succeeded(checkKind(report, options.path)))
    if (FailureOr<bool> isOnnxModel = isOnnx(report, options.path);
        succeeded(isOnnxModel))
      summary = *isOnnxModel
                    ? onnx::summarize(report, options, wantsValues)
                    : tensorflow::summarize(report, options, wantsValues);
  status = report.status;
  return summary;
}

} // namespace weir
