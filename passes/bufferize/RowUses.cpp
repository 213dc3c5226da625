// Finds the operands of a kernel that are used row by row.

#include "passes/bufferize/RowUses.h"

#include "dialects/kernel/Nests.h"

#include "dialects/kernel/Kernel.h"
#include "dialects/kernel/schedule/MatmulShape.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace weir::bufferize {

static std::optional<size_t> leadingDims(ArrayRef<int64_t> shape,
                                         int64_t rows) {
  int64_t count = 1;
  for (auto [d, size] : llvm::enumerate(shape)) {
    if (ShapedType::isDynamic(size))
      return std::nullopt;
    count *= size;
    if (count == rows)
      return d + 1;
  }
  return std::nullopt;
}

std::optional<size_t> leadingDims(Type tensor, int64_t rows) {
  auto type = dyn_cast<RankedTensorType>(tensor);
  return type ? leadingDims(type.getShape(), rows) : std::nullopt;
}

namespace {

/// Follows the ops of a kernel's body, each of which makes rows.
class Reader {
public:
  Reader(func::FuncOp kernel, int64_t rows) : uses{rows, {}}, rows(rows) {
    uses.rowWise.assign(kernel.getNumArguments(), true);
  }

  /// Whether the op makes its rows of the same rows, or of whole arguments.
  bool read(Operation &op) {
    if (auto loops = dyn_cast<linalg::LinalgOp>(op))
      return readLoops(loops);
    if (auto product = dyn_cast<kernel::MatmulOp>(op))
      return readProduct(product);
    if (auto results = dyn_cast<func::ReturnOp>(op))
      return llvm::all_of(results.getOperands(), [&](Value value) {
        return value.getDefiningOp() && leadingDims(value.getType(), rows);
      });
    // What is read of these is asked where they are read.
    return isa<tensor::EmptyOp, tensor::CollapseShapeOp, tensor::ExpandShapeOp,
               arith::ConstantOp>(op);
  }

  RowUses uses;

private:
  bool readLoops(linalg::LinalgOp op) {
    SmallVector<int64_t> ranges = op.getStaticLoopRanges();
    std::optional<size_t> dims = leadingDims(ranges, rows);
    if (!op.hasPureTensorSemantics() || !dims)
      return false;
    auto iterators = op.getIteratorTypesArray();
    if (llvm::count(ArrayRef(iterators).take_front(*dims),
                    utils::IteratorType::parallel) != int64_t(*dims))
      return false;
    for (OpOperand &operand : op->getOpOperands()) {
      bool rowWise =
          kernel::isRowWise(op.getMatchingIndexingMap(&operand), *dims);
      if (op.isDpsInit(&operand) && !rowWise)
        return false;
      if (!readOperand(operand.get(), rowWise))
        return false;
    }
    // A gather reads what it captures anywhere.
    WalkResult inside = op.getBlock()->walk([&](Operation *inner) {
      for (Value value : inner->getOperands())
        if (isa<TensorType>(value.getType()) && !readWhole(value))
          return WalkResult::interrupt();
      return WalkResult::advance();
    });
    return !inside.wasInterrupted();
  }

  bool readProduct(kernel::MatmulOp op) {
    auto type = cast<RankedTensorType>(op.getOut().getType());
    std::optional<size_t> dims = leadingDims(type, rows);
    size_t rank = type.getRank();
    bool isOneMatrix =
        op.getShared() || llvm::all_of(type.getShape().drop_back(2),
                                       [](int64_t size) { return size == 1; });
    if (!dims || *dims != rank - 1 || !isOneMatrix || op.getTransposeA() ||
        !kernel::hasMatmulSchedule(op) || !readByRows(op.getA()) ||
        !readWhole(op.getB()) || (op.getDepth() && !readWhole(op.getDepth())) ||
        !readByRows(op.getOut()))
      return false;
    return llvm::all_of(
        llvm::zip_equal(op.getExtras(), op.getExtraMaps()), [&](auto pair) {
          auto [extra, map] = pair;
          return readOperand(
              extra,
              kernel::isRowWise(cast<AffineMapAttr>(map).getValue(), *dims));
        });
  }

  bool readOperand(Value value, bool rowWise) {
    if (!isa<TensorType>(value.getType()))
      return true;
    return rowWise ? readByRows(value) : readWhole(value);
  }

  static Value unshaped(Value value) {
    while (isa_and_nonnull<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(
        value.getDefiningOp()))
      value = value.getDefiningOp()->getOperand(0);
    return value;
  }

  bool readByRows(Value value) {
    Value source = unshaped(value);
    if (leadingDims(value.getType(), rows) &&
        leadingDims(source.getType(), rows))
      return true;
    return readWhole(source);
  }

  /// Whether all of the value may be read: it was there before the kernel.
  bool readWhole(Value value) {
    value = unshaped(value);
    auto argument = dyn_cast<BlockArgument>(value);
    if (argument)
      uses.rowWise[argument.getArgNumber()] = false;
    return argument || value.getDefiningOp<arith::ConstantOp>();
  }

  int64_t rows;
};

} // namespace

/// The loops before the first that reduces, or else the first of more than one
/// round.
static int64_t rowsOfLoops(linalg::LinalgOp op) {
  int64_t rows = 1;
  for (auto [range, kind] :
       llvm::zip_equal(op.getStaticLoopRanges(), op.getIteratorTypesArray())) {
    if (kind != utils::IteratorType::parallel ||
        (rows != 1 && !op.getNumReductionLoops()))
      break;
    rows *= range;
  }
  return rows;
}

static std::optional<int64_t> rowsOf(Block &body) {
  SmallVector<linalg::LinalgOp> loops;
  SmallVector<kernel::MatmulOp> products;
  for (Operation &op : body)
    if (auto product = dyn_cast<kernel::MatmulOp>(op))
      products.push_back(product);
    else if (isa<linalg::LinalgOp>(op) && !isa<linalg::FillOp>(op))
      loops.push_back(cast<linalg::LinalgOp>(op));
  if (products.size() == 1 && loops.empty()) {
    auto type = cast<RankedTensorType>(products.front().getOut().getType());
    return ShapedType::getNumElements(type.getShape().drop_back());
  }
  auto sum = llvm::find_if(
      loops, [](linalg::LinalgOp op) { return op.getNumReductionLoops() > 0; });
  if (!products.empty() || (sum == loops.end() && loops.size() != 1))
    return std::nullopt;
  return rowsOfLoops(sum == loops.end() ? loops.front() : *sum);
}

std::optional<RowUses> RowUses::of(func::FuncOp kernel) {
  if (!llvm::hasSingleElement(kernel.getBody()))
    return std::nullopt;
  Block &body = kernel.getBody().front();
  std::optional<int64_t> rows = rowsOf(body);
  if (!rows)
    return std::nullopt;
  Reader reader(kernel, *rows);
  if (!llvm::all_of(body, [&](Operation &op) { return reader.read(op); }))
    return std::nullopt;
  return reader.uses;
}

} // namespace weir::bufferize
