// Random numbers. ONNX does not specify the generator; weir uses Philox. A
// library returns the same numbers in each run, and different ones in each
// training step.

#include "compiler/import/build/Philox.h"
#include "compiler/import/onnx/Operands.h"

#include "dialects/graph/Elementwise.h"
#include "dialects/graph/Graph.h"
#include "dialects/graph/Reduce.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;

namespace weir::onnx {
namespace {

/// Of the node's seed; without one, of its name, so that nodes differ.
Generator generatorOf(Node &node) {
  uint64_t key = 0;
  // A float, but for Dropout.
  if (auto *seed = node.attr("seed"))
    key = seed->has_i() ? static_cast<uint64_t>(seed->i())
                        : llvm::bit_cast<uint32_t>(seed->f());
  else
    key = llvm::xxh3_64bits(node.name());
  return ofStep(node.b, {wide(node.b, key), Expr(), wide(node.b, 0)});
}

/// In [0, 1), of f32, or f64 where that is the type.
Expr uniformLike(Node &node, ArrayRef<int64_t> shape, Type type) {
  FloatType work = type.isF64() ? node.b.getF64Type() : node.b.getF32Type();
  auto count = byteSize(shape, 1);
  return count ? reshape(uniformNumbers(generatorOf(node), *count, work), shape)
               : Expr();
}

using Make = Expr (*)(Node &, ArrayRef<int64_t> shape, FloatType work);

Expr uniformBetween(Node &node, ArrayRef<int64_t> shape, FloatType work) {
  double low = node.floatAttr("low", 0), high = node.floatAttr("high", 1);
  return uniformLike(node, shape, work) * (high - low) + low;
}

Expr normalAround(Node &node, ArrayRef<int64_t> shape, FloatType work) {
  Expr numbers = normalNumbers(generatorOf(node), *byteSize(shape, 1), work);
  return reshape(numbers, shape) * node.floatAttr("scale", 1) +
         node.floatAttr("mean", 0);
}

LogicalResult giveNumbers(Node &node, Make make, ArrayRef<int64_t> shape,
                          Type type) {
  if (!isa<FloatType>(type))
    return node.error() << "is to give " << type << ", which is no float";
  if (!byteSize(shape, 64))
    return node.error() << "makes the shape [" << shape << "]";
  FloatType work = type.isF64() ? node.b.getF64Type() : node.b.getF32Type();
  return give(node, cast(make(node, shape, work), type));
}

template <Make make>
LogicalResult importRandom(Node &node) {
  if (!node.hasAttr("shape"))
    return node.missing("shape");
  Type type = node.typeAttr("dtype", ::onnx::TensorProto::FLOAT);
  if (!type)
    return failure();
  return giveNumbers(node, make, node.intsAttr("shape"), type);
}

template <Make make>
LogicalResult importRandomLike(Node &node) {
  if (failed(wantOperands(node, 1, 1)))
    return failure();
  Type type = node.element(0);
  if (node.hasAttr("dtype"))
    type = node.typeAttr("dtype");
  return type ? giveNumbers(node, make, node.shape(0), type) : failure();
}

/// 1 with the probability that the operand has.
LogicalResult importBernoulli(Node &node) {
  if (failed(wantOperands(node, 1, 1)) ||
      failed(wantElements(node, 0, Elements::floats)))
    return failure();
  Expr x = widened(operand(node, 0));
  Type type = node.element(0);
  if (node.hasAttr("dtype"))
    type = node.typeAttr("dtype");
  if (!type)
    return failure();
  Expr numbers = uniformLike(node, x.shape(), x.elementType());
  return give(node, cast(less(numbers, x), type));
}

/// Of each row of logarithms the place of the greatest, to each of which a
/// number of Gumbel's distribution is added.
LogicalResult importMultinomial(Node &node) {
  if (failed(wantOperands(node, 1, 1)) ||
      failed(wantElements(node, 0, Elements::floats)))
    return failure();
  Expr x = widened(operand(node, 0));
  int64_t samples = node.intAttr("sample_size", 1);
  Type type = node.typeAttr("dtype", ::onnx::TensorProto::INT32);
  if (!type)
    return failure();
  if (x.rank() != 2 || samples < 1 || x.size(1) == 0 ||
      !type.isSignlessInteger())
    return node.error() << "takes " << samples << " samples of " << x.type()
                        << " as " << type;
  Integers shape{x.size(0), samples, x.size(1)};
  if (!byteSize(shape, 64))
    return node.error() << "takes " << samples << " samples of " << x.type();
  Expr u = uniformLike(node, shape, x.elementType());
  auto log = [](Expr of) { return apply<graph::LogOp>(of); };
  // Never the logarithm of 0.
  Expr gumbel = -log(-log(maximum(u, u.like(1e-20))));
  Expr scores = reshape(x, {x.size(0), 1, x.size(1)}) + gumbel;
  auto positions =
      RankedTensorType::get(ArrayRef(shape).drop_back(), node.b.getI64Type());
  Expr taken(node.b, make<graph::ArgMaxOp>(node.b, positions, scores.value,
                                           node.b.getI64IntegerAttr(2)));
  return give(node, cast(taken, type));
}

/// Training drops each element with the probability that operand 1 has, and
/// makes up for it by the others; inference hands on. Operand 2 says which.
/// Drops only where operand 2 says that the model trains. Before opset 12 the
/// default of the attribute for it is training, which files to be run have left
/// as it was.
LogicalResult importDropout(Node &node) {
  if (failed(wantOperands(node, 1, 3)))
    return failure();
  Expr x = operand(node, 0);
  Type flag = node.b.getI1Type();
  auto trains = node.tryConstant(2);
  bool mayTrain = node.has(2) && x && isa<FloatType>(x.elementType());
  if (mayTrain && trains && trains->getElementType().isInteger(1))
    mayTrain = llvm::is_contained(trains->getValues<bool>(), true);
  if (!mayTrain) {
    Type element = node.opset() < 10 ? x.elementType() : flag;
    SmallVector<Expr> results{x};
    if (node.wants(1))
      results.push_back(filled(node, x.shape(), element, 1));
    return give(node, results);
  }
  if (!node.element(2).isInteger(1) || node.type(2).getNumElements() != 1 ||
      (node.has(1) && (node.type(1).getNumElements() != 1 ||
                       !isa<FloatType>(node.element(1)))))
    return node.error() << "has a ratio or a mode that is no scalar";
  Expr training = reshape(operand(node, 2), {});
  Expr work = widened(x);
  Expr ratio = node.has(1)
                   ? cast(reshape(operand(node, 1), {}), work.elementType())
                   : work.like(0.5);
  Expr numbers = uniformLike(node, x.shape(), work.elementType());
  Expr keeps =
      either(isFalse(training), apply<graph::GreaterEqualOp>(numbers, ratio));
  Expr scale = select(training, 1.0 - ratio, ratio.like(1));
  Expr kept = select(keeps, work / scale, work.like(0));
  return give(node, {cast(kept, x.elementType()), keeps});
}

} // namespace

void addRandomHandlers(Handlers &handlers) {
  handlers["Bernoulli"] = importBernoulli;
  handlers["Dropout"] = importDropout;
  handlers["Multinomial"] = importMultinomial;
  handlers["RandomNormal"] = importRandom<normalAround>;
  handlers["RandomNormalLike"] = importRandomLike<normalAround>;
  handlers["RandomUniform"] = importRandom<uniformBetween>;
  handlers["RandomUniformLike"] = importRandomLike<uniformBetween>;
}

} // namespace weir::onnx
