// Convolutions by 3 x 3 windows as 16 products of matrices (Lavin and Gray,
// "Fast Algorithms for Convolutional Neural Networks", F(2 x 2, 3 x 3)).
//
// Squares of 4 x 4 pixels, two apart, give 2 x 2 results each. A block of
// squares is transformed into 16 matrices that stay in L2; for each panel of
// channels these are multiplied by the filter's, and the 16 products of a
// square are combined into its results, which pass through the epilogue.
//
// Threads share the blocks, which are then smaller, or else first the squares
// to transform and then the panels.

#include "passes/cpu/Sharing.h"
#include "passes/cpu/kernels/Epilogue.h"
#include "passes/cpu/kernels/Kernels.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace weir {
namespace {

using Square = std::array<std::array<Value, 4>, 4>;

struct WinogradEmitter {
  Emitter &e;
  kernel::WinogradOp op;
  const kernel::Target &target;
  Value x, filter, out;
  int64_t height, width, channels, outHeight, outWidth, outChannels;
  int64_t lowY, lowX, panel, lanes;
  int64_t squaresX, squares, block; // of an image, of a block
  Value inputs, products;           // 16 x block x channels, 16 x block x panel
  Value image;
  bool shared;
  // As many blocks as keep several threads busy to the end.
  static constexpr int64_t leastBlocks = 12;

  WinogradEmitter(Emitter &e, kernel::WinogradOp op,
                  const kernel::Target &target)
      : e(e), op(op), target(target), x(op.getX()), filter(op.getFilter()),
        out(op.getOut()) {
    ArrayRef<int64_t> xs = e.shape(x), ys = e.shape(out);
    height = xs[1];
    width = xs[2];
    channels = xs[3];
    outHeight = ys[1];
    outWidth = ys[2];
    outChannels = ys[3];
    lowY = op.getPadding()[0];
    lowX = op.getPadding()[1];
    panel = e.shape(filter)[3];
    lanes = target.lanes(e.getF32Type());
    while (panel % lanes)
      lanes = lanes > 1 ? lanes / 2 : 1;
    squaresX = (outWidth + 1) / 2;
    squares = squaresX * ((outHeight + 1) / 2);
    // A line between rows keeps them off the same sets of L1.
    int64_t row = channels + 16;
    int64_t bytes = 16 * 4 * (row + panel);
    EvenSplit blocks(squares, std::max<int64_t>(14, target.l2 / 8 * 5 / bytes));
    double results = double(ShapedType::getNumElements(ys));
    e.share(productTime(results * channels * 4, lanes));
    shared = e.isShared();
    int64_t count = blocks.count * xs[0];
    if (shared && xs[0] == 1 && squares < 112)
      blocks = EvenSplit(squares, squares);
    else if (shared && count < leastBlocks)
      blocks = EvenSplit(squares,
                         std::max<int64_t>(28, squares * xs[0] / leastBlocks));
    block = blocks.size + (blocks.larger != 0);
  }

  void makeInputs() { inputs = scratch({16, block, channels + 16}); }
  void makeProducts() { products = scratch({16, block, panel}); }

  Value scratch(ArrayRef<int64_t> shape) {
    return e.create<memref::AllocOp>(MemRefType::get(shape, e.getF32Type()),
                                     e.getI64IntegerAttr(64));
  }

  Value add(Value a, Value b) { return e.create<arith::AddFOp>(a, b); }
  Value subtract(Value a, Value b) { return e.create<arith::SubFOp>(a, b); }

  /// Whether `at` is in [0, size).
  Value isInside(Value at, int64_t size) {
    return e.create<arith::CmpIOp>(arith::CmpIPredicate::ult, at,
                                   e.index(size));
  }

  /// The transform of pixels along one axis.
  std::array<Value, 4> spread(const std::array<Value, 4> &d) {
    return {subtract(d[0], d[2]), add(d[1], d[2]), subtract(d[2], d[1]),
            subtract(d[1], d[3])};
  }

  void transformSquare(Value t, Value channel, int64_t valid,
                       function_ref<Value(int64_t, int64_t)> pixel) {
    Square rows;
    for (int64_t j = 0; j < 4; ++j) {
      std::array<Value, 4> column;
      for (int64_t i = 0; i < 4; ++i)
        column[i] = pixel(i, j);
      column = spread(column);
      for (int64_t i = 0; i < 4; ++i)
        rows[i][j] = column[i];
    }
    for (int64_t i = 0; i < 4; ++i)
      for (auto [j, value] : llvm::enumerate(spread(rows[i])))
        e.store(value, inputs, {e.index(4 * i + j), t, channel}, valid);
  }

  void eachChannels(function_ref<void(Value, int64_t)> body) {
    int64_t main = channels / lanes * lanes;
    e.loop(e.index(0), e.index(main), lanes, [&](Value c) { body(c, lanes); });
    if (main < channels)
      body(e.index(main), channels - main);
  }

  void ifElse(Value condition, function_ref<void()> then,
              function_ref<void()> otherwise) {
    auto choice = e.create<scf::IfOp>(condition, /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(e);
    e.setInsertionPointToStart(choice.thenBlock());
    then();
    e.setInsertionPointToStart(choice.elseBlock());
    otherwise();
  }

  /// Transforms square `t` of the block, which is `square` of the image.
  void input(Value t, Value square) {
    Value top = e.plus(e.times(e.dividedBy(square, squaresX), 2), -lowY);
    Value left = e.plus(e.times(e.modulo(square, squaresX), 2), -lowX);
    SmallVector<Value> rows, columns, inRow, inColumn;
    for (int64_t i = 0; i < 4; ++i) {
      rows.push_back(e.plus(top, i));
      columns.push_back(e.plus(left, i));
      inRow.push_back(isInside(rows[i], height));
      inColumn.push_back(isInside(columns[i], width));
    }
    auto both = [&](Value a, Value b) -> Value {
      return e.create<arith::AndIOp>(a, b);
    };
    // Sizes are not negative: the first and last row tell of those between.
    Value whole =
        both(both(inRow[0], inRow[3]), both(inColumn[0], inColumn[3]));
    auto inside = [&] {
      eachChannels([&](Value c, int64_t valid) {
        transformSquare(t, c, valid, [&](int64_t i, int64_t j) {
          return e.load(x, {image, rows[i], columns[j], c}, lanes, valid);
        });
      });
    };
    auto border = [&] {
      auto clamped = [&](Value at, int64_t size) {
        return e.smaller(e.larger(at, e.index(0)), e.index(size - 1));
      };
      Value zero = e.zeros(e.getF32Type(), lanes);
      eachChannels([&](Value c, int64_t valid) {
        transformSquare(t, c, valid, [&](int64_t i, int64_t j) -> Value {
          Value pixel = e.load(
              x,
              {image, clamped(rows[i], height), clamped(columns[j], width), c},
              lanes, valid);
          return e.create<arith::SelectOp>(both(inRow[i], inColumn[j]), pixel,
                                           zero);
        });
      });
    };
    ifElse(whole, inside, border);
  }

  /// The products of the block by panel `j` of the filter.
  void multiply(Value j) {
    auto at = [&](int64_t value) { return e.getIndexAttr(value); };
    SmallVector<OpFoldResult> zeros(3, at(0)), ones(3, at(1));
    Value rows = e.create<memref::SubViewOp>(
        inputs, zeros,
        SmallVector<OpFoldResult>{at(16), at(block), at(channels)}, ones);
    SmallVector<int64_t> matrices = {16, channels, panel};
    SmallVector<OpFoldResult> from = {j, at(0), at(0), at(0)},
                              sizes = {at(1), at(16), at(channels), at(panel)},
                              steps(4, at(1));
    auto type = cast<MemRefType>(memref::SubViewOp::inferRankReducedResultType(
        matrices, cast<MemRefType>(filter.getType()), from, sizes, steps));
    Value right = e.create<memref::SubViewOp>(type, filter, from, sizes, steps);
    // Each matrix is one panel.
    SmallVector<ReassociationIndices> unit = {{0, 1}, {2}, {3}};
    right = e.create<memref::ExpandShapeOp>(
        SmallVector<int64_t>{16, 1, channels, panel}, right, unit);
    auto matmul = e.create<kernel::MatmulOp>(
        TypeRange(), rows, right, ValueRange(), products,
        /*transpose_a=*/false, /*shared=*/false, e.getAffineMapArrayAttr({}),
        /*range=*/nullptr);
    {
      OpBuilder::InsertionGuard guard(e);
      Block *body = e.createBlock(&matmul.getEpilogue(), {}, {e.getF32Type()},
                                  {e.getLoc()});
      e.create<kernel::YieldOp>(body->getArgument(0));
    }
    emitMatmul(e, matmul, target);
    matmul.erase();
  }

  /// The results of square `t`, of `tall x wide` positions inside the image.
  void output(Value t, Value y, Value x, Value column, int64_t valid,
              int64_t tall, int64_t wide) {
    auto position = [&](Value dy, Value dx) {
      return Emitter::Values{image, e.plus(y, dy), e.plus(x, dx)};
    };
    Tile shape{tall, wide, valid, lanes, position, column};
    Emitter::Values sums(shape.count());
    for (int64_t v = 0; v < shape.vectors(); ++v) {
      // Along one axis: p0 + p1 + p2 and p1 - p2 - p3.
      auto gather = [&](ArrayRef<Value> p, int64_t i) {
        return i == 0 ? add(add(p[0], p[1]), p[2])
                      : subtract(subtract(p[1], p[2]), p[3]);
      };
      SmallVector<SmallVector<Value>> rows(tall);
      for (int64_t j = 0; j < 4; ++j) {
        SmallVector<Value> p;
        for (int64_t i = 0; i < 4; ++i)
          p.push_back(e.load(products,
                             {e.index(4 * i + j), t, e.index(v * lanes)}, lanes,
                             lanes));
        for (int64_t i = 0; i < tall; ++i)
          rows[i].push_back(gather(p, i));
      }
      for (int64_t i = 0; i < tall; ++i)
        for (int64_t j = 0; j < wide; ++j)
          sums[(i * wide + j) * shape.vectors() + v] = gather(rows[i], j);
    }
    finishTile(e, op, shape, sums);
  }

  // From square `own` of the block that begins with square `first`.
  void outputs(Value first, Value own, Value column, int64_t valid) {
    e.loop(own, e.index(block), 1, [&](Value t) {
      Value square = e.plus(first, t);
      Value y = e.times(e.dividedBy(square, squaresX), 2);
      Value x = e.times(e.modulo(square, squaresX), 2);
      auto wide = [&](int64_t tall) {
        auto whole = [&] { output(t, y, x, column, valid, tall, 2); };
        if (outWidth % 2 == 0)
          return whole();
        ifElse(isInside(e.plus(x, 1), outWidth), whole,
               [&] { output(t, y, x, column, valid, tall, 1); });
      };
      if (outHeight % 2 == 0)
        return wide(2);
      ifElse(
          isInside(e.plus(y, 1), outHeight), [&] { wide(2); },
          [&] { wide(1); });
    });
  }

  void panels(Value firstSquare, Value own, Value first, Value end) {
    auto columns = [&](Value j, int64_t valid) {
      multiply(j);
      outputs(firstSquare, own, e.times(j, panel), valid);
    };
    Value whole = e.index(outChannels / panel);
    e.loop(first, e.smaller(end, whole), 1,
           [&](Value j) { columns(j, panel); });
    if (int64_t rest = outChannels % panel)
      e.loop(e.larger(first, whole), end, 1,
             [&](Value j) { columns(j, rest); });
  }

  void blockOf(Value b, int64_t panelCount) {
    // The last block begins early enough to be whole; what it has in common
    // with the one before is left to that.
    Value start = e.times(b, block);
    Value first = e.smaller(start, e.index(squares - block));
    Value own = e.plus(start, e.times(first, -1));
    e.loop(block, [&](Value t) { input(t, e.plus(first, t)); });
    panels(first, own, e.index(0), e.index(panelCount));
  }

  void run() {
    int64_t blocks = EvenSplit(squares, block).count, images = e.shape(x)[0];
    int64_t panelCount = (outChannels + panel - 1) / panel;
    if (shared && blocks * images == 1) {
      makeInputs();
      image = e.index(0);
      e.parts(block, /*few=*/false, [&](Value first, Value end) {
        e.loop(first, end, 1, [&](Value t) { input(t, t); });
      });
      return e.parts(panelCount, /*few=*/false, [&](Value first, Value end) {
        makeProducts();
        panels(e.index(0), e.index(0), first, end);
      });
    }
    e.parts(blocks * images, /*few=*/false, [&](Value first, Value end) {
      makeInputs();
      makeProducts();
      auto each = [&](ValueRange at) {
        image = at[0];
        blockOf(at[1], panelCount);
      };
      if (shared)
        e.loops({images, blocks}, first, end, each);
      else
        e.loops({images, blocks}, each);
    });
  }
};

} // namespace

void emitWinograd(Emitter &e, kernel::WinogradOp op,
                  const kernel::Target &target) {
  WinogradEmitter(e, op, target).run();
}

void emitTransformFilter(Emitter &e, kernel::TransformFilterOp op,
                         const kernel::Target &target) {
  Value filter = op.getFilter(), out = op.getOut();
  int64_t columns = e.shape(filter)[3], panel = e.shape(out)[3];
  int64_t lanes = std::min(target.lanes(e.getF32Type()), panel);
  while (panel % lanes)
    --lanes;
  Value half =
      e.splat(e.create<arith::ConstantOp>(e.getF32FloatAttr(0.5)), lanes);
  // (1 0 0), (1 1 1)/2, (1 -1 1)/2, (0 0 1) by three elements.
  auto spread = [&](ArrayRef<Value> g) -> std::array<Value, 4> {
    Value outer = e.create<arith::AddFOp>(g[0], g[2]);
    Value sum = e.create<arith::AddFOp>(outer, g[1]);
    Value difference = e.create<arith::SubFOp>(outer, g[1]);
    return {g[0], e.create<arith::MulFOp>(sum, half),
            e.create<arith::MulFOp>(difference, half), g[2]};
  };
  auto vector = [&](Value j, Value channel, int64_t c, int64_t valid) {
    Square rows;
    for (int64_t x = 0; x < 3; ++x) {
      SmallVector<Value> window;
      for (int64_t y = 0; y < 3; ++y)
        window.push_back(valid <= 0 ? e.zeros(e.getF32Type(), lanes)
                                    : e.load(filter,
                                             {e.index(y), e.index(x), channel,
                                              e.plus(e.times(j, panel), c)},
                                             lanes, valid));
      for (auto [i, value] : llvm::enumerate(spread(window)))
        rows[i][x] = value;
    }
    for (int64_t i = 0; i < 4; ++i)
      for (auto [k, value] :
           llvm::enumerate(spread({rows[i][0], rows[i][1], rows[i][2]})))
        e.store(value, out, {j, e.index(4 * i + k), channel, e.index(c)},
                lanes);
  };
  auto panels = [&](Value j, int64_t valid) {
    e.loop(e.shape(filter)[2], [&](Value channel) {
      for (int64_t c = 0; c < panel; c += lanes)
        vector(j, channel, c, valid - c);
    });
  };
  e.loop(columns / panel, [&](Value j) { panels(j, panel); });
  if (columns % panel)
    panels(e.index(columns / panel), columns % panel);
}

} // namespace weir
