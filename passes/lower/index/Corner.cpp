// Lowers graph.compact, graph.spread and graph.fill_beyond to kernels and loops
// that end at the actual sizes.

#include "passes/lower/Patterns.h"

#include "dialects/graph/Index.h"
#include "dialects/kernel/Kernel.h"
#include "dialects/kernel/Target.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace mlir;

namespace weir::lower {
namespace {

template <typename Op>
struct LowerCorner : OpConversionPattern<Op> {
  using OpConversionPattern<Op>::OpConversionPattern;
  using Adaptor = typename Op::Adaptor;
  static constexpr bool compacts = std::is_same_v<Op, graph::CompactOp>;

  LogicalResult matchAndRewrite(Op op, Adaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    Location loc = op.getLoc();
    auto from = cast<RankedTensorType>(adaptor.getX().getType());
    Value result = emptyTensor(b, loc, from.clone(op.getType().getShape()));
    // Blocks of a GPU's threads have no such kernel, and a kernel writes no
    // zeros beyond the sizes.
    if (!op.getZeros() && !kernel::Target::of(op).gpu) {
      b.replaceOp(op, kernelOf(op, adaptor, result, b));
      return success();
    }
    if (op.getZeros()) {
      Value zero = b.create<arith::ConstantOp>(
          loc, b.getZeroAttr(from.getElementType()));
      result = b.create<linalg::FillOp>(loc, zero, result).getResult(0);
    }
    if (op.getType().getNumElements() != 0)
      result = copyAll(op, adaptor, result, b);
    b.replaceOp(op, result);
    return success();
  }

  /// The dimensions of the padded buffer in the order of the elements without
  /// gaps.
  static SmallVector<int64_t> orderOf(Op op) {
    RankedTensorType padded = compacts ? op.getX().getType() : op.getType();
    SmallVector<int64_t> permutation(op.getPermutation());
    if (permutation.empty())
      permutation = llvm::to_vector(llvm::seq<int64_t>(0, padded.getRank()));
    return compacts ? permutation : invertPermutationVector(permutation);
  }

  static Value kernelOf(Op op, Adaptor adaptor, Value to, OpBuilder &b) {
    SmallVector<int64_t> order = orderOf(op), dims;
    for (int64_t dim : op.getDims())
      dims.push_back(order[dim]);
    return b
        .create<kernel::CornerOp>(op.getLoc(), to.getType(), adaptor.getX(),
                                  adaptor.getSizes(), to, dims, order, compacts)
        .getResult(0);
  }

  /// How far the loops go, one for each element without gaps.
  static SmallVector<Value> endsOf(Op op, Adaptor adaptor, OpBuilder &b) {
    Location loc = op.getLoc();
    SmallVector<Value> ends;
    RankedTensorType padded = compacts ? op.getX().getType() : op.getType();
    for (int64_t dim : orderOf(op))
      ends.push_back(
          b.create<arith::ConstantIndexOp>(loc, padded.getDimSize(dim)));
    for (auto [dim, size] : llvm::zip_equal(op.getDims(), adaptor.getSizes())) {
      Value number = b.create<tensor::ExtractOp>(loc, size, ValueRange());
      number = b.create<arith::IndexCastOp>(loc, b.getIndexType(), number);
      Value zero = b.create<arith::ConstantIndexOp>(loc, 0);
      number = b.create<arith::MaxSIOp>(loc, number, zero);
      ends[dim] = b.create<arith::MinSIOp>(loc, number, ends[dim]);
    }
    return ends;
  }

  static Value copyAll(Op op, Adaptor adaptor, Value to, OpBuilder &b) {
    Location loc = op.getLoc();
    SmallVector<Value> ends = endsOf(op, adaptor, b);
    Value zero = b.create<arith::ConstantIndexOp>(loc, 0);
    Value one = b.create<arith::ConstantIndexOp>(loc, 1);
    SmallVector<Value> begins(ends.size(), zero), steps(ends.size(), one);
    SmallVector<int64_t> order = orderOf(op);
    auto copy = [&](OpBuilder &b, Location loc, ValueRange at,
                    ValueRange carried) -> scf::ValueVector {
      Value position = at.empty() ? zero : at.front();
      for (size_t d = 1; d < ends.size(); ++d)
        position = b.create<arith::AddIOp>(
            loc, b.create<arith::MulIOp>(loc, position, ends[d]), at[d]);
      SmallVector<Value> padded(at.size());
      for (auto [dim, index] : llvm::zip_equal(order, at))
        padded[dim] = index;
      SmallVector<Value> flat{position};
      Value element = b.create<tensor::ExtractOp>(loc, adaptor.getX(),
                                                  compacts ? padded : flat);
      return {b.create<tensor::InsertOp>(loc, element, carried[0],
                                         compacts ? flat : padded)};
    };
    if (ends.empty())
      return copy(b, loc, {}, to).front();
    return scf::buildLoopNest(b, loc, begins, ends, steps, to, copy)
        .results.front();
  }
};

/// Loops over what is filled alone, in a copy that is made in place as a rule.
struct LowerFillBeyond : OpConversionPattern<graph::FillBeyondOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(graph::FillBeyondOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    Location loc = op.getLoc();
    Value copy = copyTensor(b, loc, adaptor.getX());
    ArrayRef<int64_t> shape = op.getType().getShape();
    if (op.getType().getNumElements() == 0) {
      b.replaceOp(op, copy);
      return success();
    }
    auto index = [&](int64_t value) -> Value {
      return b.create<arith::ConstantIndexOp>(loc, value);
    };
    SmallVector<Value> begins(shape.size(), index(0)),
        steps(shape.size(), index(1)), ends;
    for (int64_t size : shape)
      ends.push_back(index(size));
    Value size =
        b.create<tensor::ExtractOp>(loc, adaptor.getSize(), ValueRange());
    size = b.create<arith::IndexCastOp>(loc, b.getIndexType(), size);
    size = b.create<arith::MaxSIOp>(loc, size, index(0));
    Value &begin = begins[op.getDim()], &end = ends[op.getDim()];
    begin = b.create<arith::MinSIOp>(loc, size, end);
    end = b.create<arith::MinSIOp>(
        loc,
        b.create<arith::AddIOp>(loc, begin,
                                index(static_cast<int64_t>(op.getReach()))),
        end);
    Value fill =
        b.create<tensor::ExtractOp>(loc, adaptor.getValue(), ValueRange());
    Value result =
        scf::buildLoopNest(
            b, loc, begins, ends, steps, copy,
            [&](OpBuilder &b, Location loc, ValueRange at, ValueRange carried) {
              Value next =
                  b.create<tensor::InsertOp>(loc, fill, carried[0], at);
              return scf::ValueVector{next};
            })
            .results.front();
    b.replaceOp(op, result);
    return success();
  }
};

} // namespace

void addCornerPatterns(const TypeConverter &converter,
                       RewritePatternSet &patterns) {
  patterns.add<LowerCorner<graph::CompactOp>, LowerCorner<graph::SpreadOp>,
               LowerFillBeyond>(converter, patterns.getContext());
}

} // namespace weir::lower
