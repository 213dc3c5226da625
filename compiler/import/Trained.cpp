// Which variables are trained, and where they begin.

#include "compiler/import/Trained.h"

#include "compiler/import/Build.h"
#include "compiler/import/Elements.h"
#include "compiler/import/build/Philox.h"
#include "dialects/weir/Attributes.h"
#include "dialects/weir/NamePattern.h"

#include "llvm/Support/xxhash.h"
#include <cmath>

using namespace mlir;

namespace weir {

bool isTrained(const ImportOptions &options, StringRef name, bool trainable) {
  if (!options.training)
    return false;
  const TrainingRequest &training = *options.training;
  auto matches = [&](StringRef names) {
    return !names.empty() && NamePattern::part(names).matches(name);
  };
  return (training.variables.empty() ? trainable
                                     : matches(training.variables)) &&
         !matches(training.frozen);
}

namespace {

/// How many values come into an element of what a variable makes, and how many
/// it goes to: of a matrix or filter, whose last dimensions are those.
struct Fans {
  explicit Fans(ArrayRef<int64_t> shape) {
    double window = 1;
    for (int64_t size : shape.drop_back(2))
      window *= static_cast<double>(size);
    in = window * static_cast<double>(shape.end()[-2]);
    out = window * static_cast<double>(shape.end()[-1]);
  }
  double in, out;
};

class Numbers {
public:
  Numbers(uint64_t seed, StringRef name) : stream(seed, xxh3_64bits(name)) {}

  /// In [0, 1).
  double uniform() {
    uint64_t high = stream.next() >> 5, low = stream.next() >> 6;
    return static_cast<double>(high << 26 | low) * 0x1p-53;
  }
  double normal() {
    double radius = std::sqrt(-2 * std::log(1 - uniform()));
    return radius * std::cos(2 * M_PI * uniform());
  }

private:
  Stream stream;
};

} // namespace

/// 1 GiB of f32: what is larger is a mistake, or comes from a checkpoint.
constexpr int64_t firstValuesLimit = int64_t(1) << 28;

FailureOr<ElementsAttr> firstValue(Report &report,
                                   const TrainingRequest &training,
                                   graph::VariableOp variable) {
  StringRef name = variable.nameInModel();
  RankedTensorType type = variable.getTensorType();
  StringRef kind = "zeros";
  uint64_t seed = 0;
  for (const Initializer &given : training.initializers)
    if (given.variables.empty()
            ? type.getRank() >= 2
            : NamePattern::part(given.variables).matches(name)) {
      kind = given.kind;
      seed = given.seed;
    }
  auto element = llvm::cast<FloatType>(type.getElementType());
  auto of = [&](double value) {
    APFloat number(value);
    bool loses;
    number.convert(element.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                   &loses);
    return number.bitcastToAPInt();
  };
  if (kind == "zeros" || kind == "ones" || type.getRank() < 2)
    return ElementsAttr(DenseElementsAttr::get(
        type, APFloat(element.getFloatSemantics(), of(kind == "ones"))));
  if (type.getNumElements() > firstValuesLimit)
    return report.error(variable.getLoc(), Status::limit)
           << "variable '" << escaped(name) << "' is a " << type
           << ", too large for first values; --init=zeros has none";
  Fans fans(type.getShape());
  double squares =
      kind.starts_with("he") ? 2 / fans.in : 2 / (fans.in + fans.out);
  bool isNormal = kind.ends_with("normal");
  Numbers numbers(seed, name);
  unsigned width = elementBytes(element);
  std::string bytes;
  bytes.reserve(type.getNumElements() * width);
  for (int64_t i = 0; i < type.getNumElements(); ++i) {
    double value = isNormal
                       ? numbers.normal() * std::sqrt(squares)
                       : (numbers.uniform() * 2 - 1) * std::sqrt(3 * squares);
    uint64_t bits = of(value).getZExtValue();
    for (unsigned k = 0; k < width; ++k)
      bytes.push_back(static_cast<char>(bits >> (8 * k)));
  }
  return rawElements(type, std::move(bytes), name);
}

void markTraining(func::FuncOp function, ArrayRef<int64_t> dynamicDims) {
  attrs::lossOperands.set(function, dynamicDims);
}

/// What the loss is of, where the builder is in it.
static func::FuncOp trainedFunction(OpBuilder &builder) {
  Operation *around = builder.getInsertionBlock()->getParentOp();
  auto function = dyn_cast<func::FuncOp>(around);
  if (!function)
    function = around->getParentOfType<func::FuncOp>();
  return function && attrs::lossOperands.isOn(function) ? function
                                                        : func::FuncOp();
}

Value stepsSoFar(OpBuilder &builder, Location at) {
  func::FuncOp function = trainedFunction(builder);
  if (!function)
    return {};
  for (auto read : function.getOps<graph::ReadVariableOp>())
    if (attrs::steps.isOn(read))
      return read;
  auto module = function->getParentOfType<ModuleOp>();
  std::string name = "random_steps";
  for (unsigned i = 1; module.lookupSymbol("var:" + name); ++i)
    name = "random_steps_" + std::to_string(i);
  OpBuilder::InsertionGuard guard(builder);
  auto type = RankedTensorType::get({}, builder.getI64Type());
  builder.setInsertionPointToStart(module.getBody());
  auto variable = builder.create<graph::VariableOp>(
      at, "var:" + name, type,
      DenseElementsAttr::get(type, builder.getI64IntegerAttr(0)),
      builder.getStringAttr(name), StringAttr());
  builder.setInsertionPointToStart(&function.getBody().front());
  auto read =
      builder.create<graph::ReadVariableOp>(at, type, variable.getSymName());
  attrs::steps.set(read);
  ImplicitLocOpBuilder b(at, builder);
  b.create<graph::WriteVariableOp>(variable.getSymName(),
                                   (Expr(b, read) + 1).value);
  return read;
}

void keepInStep(OpBuilder &builder, Location at, StringRef name, Value value) {
  func::FuncOp function = trainedFunction(builder);
  if (!function ||
      builder.getInsertionBlock()->getParentOp() != function.getOperation())
    return;
  auto module = function->getParentOfType<ModuleOp>();
  auto variable = module.lookupSymbol<graph::VariableOp>(("var:" + name).str());
  if (variable && variable.getTensorType() == value.getType())
    builder.create<graph::WriteVariableOp>(at, variable.getSymName(), value);
}

void markTrained(graph::VariableOp variable) { attrs::trained.set(variable); }

bool isMarkedTrained(graph::VariableOp variable) {
  return attrs::trained.isOn(variable);
}

LogicalResult checkTrained(Report &report, const ImportOptions &options,
                           size_t trained, ArrayRef<std::string> others) {
  if (!options.training || trained)
    return success();
  InFlightDiagnostic error = report.error(Status::badUsage);
  error << "nothing that the loss needs is to be trained";
  if (others.empty())
    error << "; it depends on no variable, nor on an initializer of floats";
  constexpr size_t most = 8;
  for (auto [i, name] : llvm::enumerate(others.take_front(most)))
    error << (i ? ", " : "; --train-vars=REGEX can name ") << escaped(name);
  if (others.size() > most)
    error << ", and " << others.size() - most << " more";
  return failure();
}

} // namespace weir
