// What the kernels check.

#include "dialects/kernel/Kernel.h"

#include "dialects/kernel/Packed.h"
#include "dialects/kernel/attention/Attention.h"
#include "dialects/weir/Weir.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace weir::kernel;

// Reads every input, writes the destination, where they are buffers.
static void effectsOf(DestinationStyleOpInterface op,
                      SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<MemRefType>(operand.get().getType()))
      continue;
    if (op.isDpsInit(&operand))
      effects.emplace_back(MemoryEffects::Write::get(), &operand);
    else
      effects.emplace_back(MemoryEffects::Read::get(), &operand);
  }
}

#include "dialects/kernel/KernelDialect.cpp.inc"
#include "dialects/kernel/KernelInterfaces.cpp.inc"
#define GET_OP_CLASSES
#include "dialects/kernel/KernelOps.cpp.inc"
#define GET_OP_CLASSES
#include "dialects/kernel/PackedOps.cpp.inc"
#define GET_OP_CLASSES
#include "dialects/kernel/attention/AttentionOps.cpp.inc"

void KernelDialect::initialize() {
  getContext()->loadDialect<WeirDialect>();
  registerAttributes();
  addOperations<
#define GET_OP_LIST
#include "dialects/kernel/KernelOps.cpp.inc"
      ,
#define GET_OP_LIST
#include "dialects/kernel/PackedOps.cpp.inc"
      ,
#define GET_OP_LIST
#include "dialects/kernel/attention/AttentionOps.cpp.inc"
      >();
}

Type weir::kernel::sumType(Type type) {
  return type.isF16() || type.isBF16() ? Float32Type::get(type.getContext())
                                       : type;
}

bool weir::kernel::isWidenable(Operation &op) {
  return op.hasTrait<OpTrait::ConstantLike>() ||
         (OpTrait::hasElementwiseMappableTraits(&op) && isPure(&op) &&
          op.getNumResults() == 1 && op.getNumRegions() == 0);
}

bool weir::kernel::isExtraMap(AffineMap map, unsigned rank) {
  if (map.getNumDims() != rank || map.getNumSymbols())
    return false;
  int64_t previous = -1;
  for (auto [index, result] : llvm::enumerate(map.getResults())) {
    if (auto dim = dyn_cast<AffineDimExpr>(result)) {
      int64_t position = dim.getPosition();
      bool last = position + 1 == rank;
      if (position <= previous || (last && index + 1 != map.getNumResults()))
        return false;
      previous = position;
    } else if (auto constant = dyn_cast<AffineConstantExpr>(result)) {
      if (constant.getValue() != 0)
        return false;
    } else {
      return false;
    }
  }
  return true;
}

static ShapedType shaped(Value value) {
  return cast<ShapedType>(value.getType());
}

LogicalResult weir::kernel::verifyForm(Operation *op) {
  Value out = cast<DestinationStyleOpInterface>(op).getDpsInits()[0];
  bool tensors = isa<RankedTensorType>(out.getType());
  for (Value operand : op->getOperands())
    if (isa<RankedTensorType>(operand.getType()) != tensors)
      return op->emitOpError("mixes tensors and memrefs");
  if (op->getNumResults() != tensors)
    return op->emitOpError("has ")
           << op->getNumResults() << " results, not " << int(tensors);
  if (tensors && op->getResult(0).getType() != out.getType())
    return op->emitOpError("returns ")
           << op->getResult(0).getType() << ", not " << out.getType();
  return success();
}

LogicalResult weir::kernel::verifyEpilogue(KernelOpInterface op) {
  return verifyEpilogue(op, op.getEpilogue(), op.getExtras(), op.getExtraMaps(),
                        shaped(op.getOut()));
}

LogicalResult weir::kernel::verifyEpilogue(Operation *op, Region &function,
                                           OperandRange extras, ArrayAttr maps,
                                           ShapedType out) {
  Block &block = function.front();
  auto yield = dyn_cast<YieldOp>(block.getTerminator());
  // (C3)
  if (block.getNumArguments() != extras.size() + 1)
    return op->emitOpError("epilogue takes ")
           << block.getNumArguments() << " values, not " << extras.size() + 1;
  if (!yield || yield.getValue().getType() != out.getElementType())
    return op->emitOpError("epilogue does not yield an element of ") << out;
  for (auto [value, extra] :
       llvm::zip(block.getArguments().drop_front(), extras))
    if (value.getType() != shaped(extra).getElementType())
      return op->emitOpError("epilogue takes ")
             << value.getType() << " for an element of " << extra.getType();
  // (C4)
  for (Operation &inner : block.without_terminator())
    if (!isWidenable(inner))
      return inner.emitOpError("cannot stand in an epilogue");
  // (C5)
  if (maps.size() != extras.size())
    return op->emitOpError("has ")
           << maps.size() << " maps for " << extras.size() << " extras";
  for (auto [extra, attribute] : llvm::zip(extras, maps)) {
    AffineMap map = cast<AffineMapAttr>(attribute).getValue();
    ShapedType type = shaped(extra);
    if (!isExtraMap(map, out.getRank()) ||
        map.getNumResults() != type.getRank())
      return op->emitOpError("cannot read ") << type << " by " << attribute;
    for (auto [size, result] : llvm::zip(type.getShape(), map.getResults())) {
      auto dim = dyn_cast<AffineDimExpr>(result);
      if (size != (dim ? out.getDimSize(dim.getPosition()) : 1))
        return op->emitOpError("cannot read ") << type << " by " << attribute;
    }
  }
  return success();
}

// The inputs share one element type, which the sums are made of; but f32 may be
// multiplied by what becomes f32.
static LogicalResult verifySums(KernelOpInterface op, Value a, Value b,
                                bool isUnsigned = false) {
  Type element = shaped(a).getElementType();
  Type sum = op.getEpilogue().front().getArgument(0).getType();
  bool widens = isa<MatmulOp, ConvolutionOp>(op) && element.isF32() &&
                sumType(shaped(b).getElementType()) == element;
  if (element != shaped(b).getElementType() && !widens)
    return op->emitOpError("multiplies ")
           << a.getType() << " by " << b.getType();
  if (!element.isIntOrFloat() || !sum.isIntOrFloat() ||
      isa<FloatType>(element) != isa<FloatType>(sum) ||
      element.getIntOrFloatBitWidth() > sum.getIntOrFloatBitWidth() ||
      (element != sum &&
       element.getIntOrFloatBitWidth() == sum.getIntOrFloatBitWidth()))
    return op->emitOpError("cannot sum ") << element << " in " << sum;
  if (isUnsigned && (!element.isInteger(8) || !sum.isInteger(32)))
    return op->emitOpError("cannot sum unsigned ") << element << " in " << sum;
  return success();
}

LogicalResult MatmulOp::verify() {
  // (C3)
  if (getEpilogue().front().getNumArguments() == 0)
    return emitOpError("epilogue takes no sum");
  LayoutAttr layout = getLayout();
  // Tiles have other elements than the left side.
  if (failed(verifyForm(*this)) ||
      (!layout.isAmx() &&
       failed(verifySums(*this, getA(), getB(), getUnsignedA()))))
    return failure();
  ShapedType a = shaped(getA()), b = shaped(getB()), out = shaped(getOut());
  int64_t rank = out.getRank();
  // (C1)
  if (rank < 2 || a.getRank() != rank ||
      a.getShape().drop_back(2) != out.getShape().drop_back(2) ||
      a.getShape().take_back(2)[getTransposeA()] != out.getDimSize(rank - 2))
    return emitOpError("cannot make ") << out << " of rows of " << a;
  int64_t depth = a.getShape().take_back(2)[!getTransposeA()];
  int64_t columns = out.getDimSize(rank - 1);
  // (C7)
  if (Value terms = getDepth()) {
    ShapedType type = shaped(terms);
    if (type.getRank() != 0 || !type.getElementType().isInteger(64))
      return emitOpError("has a depth of type ") << type;
    if (!(layout.isPlain() || layout.isPanels()) || getUnsignedA())
      return emitOpError("has a depth, and a form that reads all terms");
  }
  // (C2)
  LayoutUser user{LayoutUser::Matmul, {}, b.getElementType()};
  if (!getShared())
    user.weights.batches.assign(out.getShape().begin(),
                                out.getShape().end() - 2);
  user.weights.depth = depth, user.weights.columns = columns;
  user.left = a.getElementType();
  user.sum = getEpilogue().front().getArgument(0).getType();
  user.isUnsigned = getUnsignedA(), user.transposesLeft = getTransposeA();
  if (failed(verifyLayout(*this, layout, b, user)))
    return failure();
  return verifyEpilogue(*this);
}

// Verifies (C1) and (C2) of windows. `filter` is null if its type is verified
// elsewhere: tile may be bf16 for f32 images.
template <typename OpTy>
static LogicalResult verifyWindows(OpTy op, Value filter, bool isUnsigned) {
  if (op.getEpilogue().front().getNumArguments() == 0)
    return op.emitOpError("epilogue takes no sum");
  if (failed(verifyForm(op)) ||
      (filter && failed(verifySums(op, op.getX(), filter, isUnsigned))) ||
      failed(verifyEpilogue(op)))
    return failure();
  ShapedType x = shaped(op.getX()), out = shaped(op.getOut());
  if (x.getRank() < 3 || x.getRank() > 4 || x.getRank() != out.getRank() ||
      x.getDimSize(0) != out.getDimSize(0))
    return op.emitOpError("cannot make ") << out << " of " << x;
  size_t spatial = x.getRank() - 2;
  if (op.getStrides().size() != spatial || op.getPadding().size() != spatial ||
      op.getDilations().size() != spatial ||
      llvm::any_of(op.getStrides(), [](int64_t n) { return n < 1; }) ||
      llvm::any_of(op.getDilations(), [](int64_t n) { return n < 1; }) ||
      llvm::any_of(op.getPadding(), [](int64_t n) { return n < 0; }))
    return op.emitOpError("has no such windows");
  return success();
}

LogicalResult ConvolutionOp::verify() {
  LayoutAttr layout = getLayout();
  if (failed(verifyWindows(*this, layout.isAmx() ? Value() : getFilter(),
                           getUnsignedX())))
    return failure();
  ShapedType x = shaped(getX()), w = shaped(getFilter()),
             out = shaped(getOut());
  int64_t groups = getGroups(), inputs = x.getShape().back(),
          outputs = out.getShape().back();
  // (C3)
  if (groups < 1 || inputs % groups || outputs % groups)
    return emitOpError("cannot have ") << groups << " groups";
  LayoutUser user{LayoutUser::Convolution, {}, w.getElementType()};
  size_t spatial = x.getRank() - 2;
  // Panels come before the taps; windows of pairing are part of their rows.
  ArrayRef<int64_t> taps = w.getShape();
  if (!layout.isPlain() && !taps.empty())
    taps = taps.drop_front();
  if (layout.isPairing() && layout.getWindow().size() == spatial)
    taps = layout.getWindow();
  user.weights.taps.assign(taps.begin(),
                           taps.begin() + std::min(spatial, taps.size()));
  user.weights.groups = groups;
  user.weights.depth = inputs / groups, user.weights.columns = outputs / groups;
  user.left = x.getElementType();
  user.sum = getEpilogue().front().getArgument(0).getType();
  user.isUnsigned = getUnsignedX();
  return verifyLayout(*this, layout, w, user);
}

int64_t DepthwiseOp::channelsOfGroup() {
  ShapedType w = shaped(getFilter());
  bool grouped =
      getLayout().isPlain() && w.getRank() == shaped(getX()).getRank();
  return grouped ? w.getDimSize(w.getRank() - 2) : 1;
}

LogicalResult DepthwiseOp::verify() {
  if (failed(verifyWindows(*this, getFilter(), getUnsignedX())))
    return failure();
  ShapedType x = shaped(getX()), w = shaped(getFilter());
  LayoutAttr layout = getLayout();
  int64_t channels = x.getShape().back();
  if (!layout.isPlain()) {
    LayoutUser user{LayoutUser::Depthwise, {}, w.getElementType()};
    user.weights.taps.assign(x.getRank() - 2, 1);
    if (layout.isVnniRows() && x.getRank() == 4 && w.getRank() == 5)
      user.weights.taps = {layout.getRows(), w.getDimSize(1)};
    user.weights.depth = 1, user.weights.columns = channels;
    user.isUnsigned = getUnsignedX();
    if (channels != shaped(getOut()).getShape().back())
      return emitOpError("cannot make ") << getOut().getType() << " of " << x;
    return verifyLayout(*this, layout, w, user);
  }
  // (C3)
  bool grouped = w.getRank() == x.getRank() &&
                 isa<FloatType>(x.getElementType()) &&
                 (channelsOfGroup() == 2 || channelsOfGroup() == 4) &&
                 channels % channelsOfGroup() == 0;
  if (channels != shaped(getOut()).getShape().back() ||
      (w.getRank() + 1 != x.getRank() && !grouped) ||
      w.getShape().back() != channels)
    return emitOpError("cannot use ") << w;
  return success();
}

LogicalResult PoolOp::verify() {
  if (failed(verifyWindows(*this, getX(), /*isUnsigned=*/false)))
    return failure();
  ShapedType x = shaped(getX()), out = shaped(getOut());
  // (C1)
  if (x.getShape().back() != out.getShape().back())
    return emitOpError("cannot make ") << out << " of " << x;
  // (C2)
  if (getWindow().size() != getStrides().size() ||
      llvm::any_of(getWindow(), [](int64_t n) { return n < 1; }))
    return emitOpError("has no such windows");
  // (C3)
  if (!isa<FloatType>(x.getElementType()))
    return emitOpError("cannot pool ") << x;
  // (C4)
  if (getLargest() && getCountsPadding())
    return emitOpError("counts padding, which is never the greatest");
  return success();
}

std::optional<WinogradTransform> WinogradOp::getWindow() {
  if (!getLayout().isWinograd())
    return std::nullopt;
  return WinogradTransform::of(getLayout().getTiles(), getWindows(),
                               getStrides());
}

LogicalResult WinogradOp::verify() {
  if (getEpilogue().front().getNumArguments() == 0)
    return emitOpError("epilogue takes no sum");
  if (failed(verifyForm(*this)) ||
      failed(verifySums(*this, getX(), getFilter())) ||
      failed(verifyEpilogue(*this)))
    return failure();
  ShapedType x = shaped(getX()), w = shaped(getFilter()),
             out = shaped(getOut());
  // (C1)
  if (x.getRank() != 4 || out.getRank() != 4 ||
      x.getDimSize(0) != out.getDimSize(0) || !x.getElementType().isF32())
    return emitOpError("cannot make ") << out << " of " << x;
  // (C2)
  std::optional<WinogradTransform> window = getWindow();
  if (!window || getPadding().size() != 2 ||
      llvm::any_of(getPadding(), [](int64_t n) { return n < 0; }))
    return emitOpError("has no such windows");
  if (getDilations().size() != 2)
    return emitOpError("has no two dilations");
  for (auto [dilation, stride] : llvm::zip(getDilations(), getStrides()))
    if (dilation < 1 || (dilation > 1 && stride > 1))
      return emitOpError("cannot dilate by ")
             << dilation << " with a stride of " << stride;
  // (C3)
  if (getLayout().getStrides() != getStrides())
    return emitOpError("has other strides than ") << getLayout();
  LayoutUser user{LayoutUser::Winograd, {}, w.getElementType()};
  user.weights.taps.assign(getWindows().begin(), getWindows().end());
  user.weights.depth = x.getDimSize(3),
  user.weights.columns = out.getDimSize(3);
  return verifyLayout(*this, getLayout(), w, user);
}
