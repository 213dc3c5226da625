// How sizes go through ops that move elements.

#include "compiler/import/bounded/Dims.h"

#include "dialects/graph/Graph.h"
#include "dialects/graph/Index.h"
#include "dialects/graph/Shape.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace weir {

std::optional<LogicalResult> Inference::visitMove(Operation *op) {
  Dims dims = of(op->getOperand(0)), result;
  Value given = op->getResult(0);
  ArrayRef<int64_t> shape = typeOf(given).getShape();
  auto give = [&](Dims moved) {
    set(given, std::move(moved));
    return success();
  };
  // Along a dimension that is cut or widened a handler must know the size.
  auto resized = [&](auto isKept) {
    for (auto [i, dim] : llvm::enumerate(dims)) {
      if (isKept(i))
        continue;
      if (isDynamic(dim))
        return refuse(op);
      bool isFree = llvm::all_of(dim, [](Factor f) { return f.isFree; });
      dim = isFree ? freeDim(shape[i]) : knownDim(shape[i]);
    }
    return give(dims);
  };
  return llvm::TypeSwitch<Operation *, std::optional<LogicalResult>>(op)
      .Case([&](graph::ReshapeOp) {
        if (!isDynamic(dims) && typeOf(given).getNumElements() == 0)
          return success();
        auto moved = reshaped(dims, shape);
        if (moved)
          return give(*moved);
        return isDynamic(dims) ? refuse(op) : success();
      })
      .Case([&](graph::TransposeOp transpose) {
        for (int64_t from : transpose.getPermutation())
          result.push_back(dims[from]);
        return give(result);
      })
      .Case([&](graph::BroadcastOp broadcast) {
        for (int64_t size : shape)
          result.push_back(freeDim(size));
        ArrayRef<int64_t> from = typeOf(broadcast.getX()).getShape();
        for (auto [i, at] : llvm::enumerate(broadcast.getDims())) {
          if (from[i] == shape[at])
            result[at] = dims[i];
          else if (isDynamic(dims[i]))
            return refuse(op);
        }
        return give(result);
      })
      .Case([&](graph::SliceOp slice) {
        return resized([&](size_t i) {
          return slice.getStrides()[i] == 1 && slice.getStarts()[i] == 0 &&
                 shape[i] == typeOf(slice.getX()).getDimSize(i);
        });
      })
      .Case([&](graph::PadOp pad) {
        return resized([&](size_t i) {
          return pad.getLow()[i] == 0 && pad.getHigh()[i] == 0 &&
                 pad.getInterior()[i] == 0;
        });
      })
      .Case([&](graph::ConcatOp concat) {
        auto axis = static_cast<int64_t>(concat.getAxis());
        bool isOnly = concat->getNumOperands() == 1;
        for (Value input : concat.getInputs()) {
          Dims part = of(input);
          if (isDynamic(part[axis]) && !isOnly)
            return refuse(op);
          if (!isOnly)
            part[axis] = dims[axis] = freeDim(shape[axis]);
          if (failed(join(op, dims, part)))
            return failure();
        }
        if (!isOnly)
          dims[axis] = knownDim(shape[axis]);
        return give(dims);
      })
      .Case([&](graph::ReverseOp reverse) {
        for (int64_t dim : reverse.getDims())
          if (isDynamic(dims[dim]))
            return refuse(op);
        return give(dims);
      })
      .Default([&](Operation *) { return visitIndex(op, std::move(dims)); });
}

std::optional<LogicalResult> Inference::visitIndex(Operation *op, Dims dims) {
  Dims result;
  Value given = op->getResult(0);
  ArrayRef<int64_t> shape = typeOf(given).getShape();
  // A box of one dimension is all of it, or its size is the box's own.
  auto box = [&](ArrayRef<int64_t> from, ArrayRef<int64_t> sizes, Dims &of) {
    for (auto [dim, whole, size] : llvm::zip_equal(of, from, sizes))
      if (whole != size) {
        if (isDynamic(dim))
          return refuse(op);
        dim = knownDim(size);
      }
    return success();
  };
  return llvm::TypeSwitch<Operation *, std::optional<LogicalResult>>(op)
      .Case([&](graph::GatherOp gather) {
        Dims by = of(gather.getIndices());
        auto axis = static_cast<size_t>(gather.getAxis());
        auto batch = static_cast<size_t>(gather.getBatchDims());
        if (isDynamic(dims[axis]))
          return refuse(op);
        for (size_t i = 0; i < batch; ++i)
          if (failed(join(op, dims[i], by[i])))
            return failure();
        result.append(dims.begin(), dims.begin() + axis);
        result.append(by.begin() + batch, by.end());
        result.append(dims.begin() + axis + 1, dims.end());
        set(given, result);
        maskResult(op);
        return success();
      })
      .Case([&](graph::GatherNdOp gather) {
        Dims by = of(gather.getIndices());
        auto batch = static_cast<size_t>(gather.getBatchDims());
        auto count =
            static_cast<size_t>(typeOf(gather.getIndices()).getShape().back());
        if (isDynamic(ArrayRef(dims).slice(batch, count)) ||
            isDynamic(by.back()))
          return refuse(op);
        for (size_t i = 0; i < batch; ++i)
          if (failed(join(op, by[i], dims[i])))
            return failure();
        result.append(by.begin(), by.end() - 1);
        result.append(dims.begin() + batch + count, dims.end());
        set(given, result);
        maskResult(op);
        return success();
      })
      .Case([&](graph::DynamicSliceOp slice) {
        if (failed(box(typeOf(slice.getX()).getShape(), shape, dims)))
          return failure();
        set(given, dims);
        return success();
      })
      .Case([&](graph::DynamicUpdateSliceOp update) {
        Dims part = of(update.getUpdate());
        ArrayRef<int64_t> sizes = typeOf(update.getUpdate()).getShape();
        for (auto [i, dim] : llvm::enumerate(dims)) {
          if (sizes[i] == shape[i]) {
            if (failed(join(op, dim, part[i])))
              return failure();
          } else if (isDynamic(dim) || isDynamic(part[i])) {
            return refuse(op);
          } else {
            // The places of a buffer that is filled step by step.
            dim = knownDim(shape[i]);
          }
        }
        set(given, dims);
        return success();
      })
      .Case([&](graph::OneHotOp oneHot) {
        dims.insert(dims.begin() + static_cast<int64_t>(oneHot.getAxis()),
                    knownDim(static_cast<int64_t>(oneHot.getDepth())));
        set(given, dims);
        return success();
      })
      .Case([&](graph::TopKOp top) {
        auto last = static_cast<int64_t>(dims.size()) - 1;
        if (isDynamic(dims[last]))
          return refuse(op);
        dims[last] = knownDim(shape.back());
        for (Value each : top->getResults())
          set(each, dims);
        return success();
      })
      .Case([&](graph::SortOp sort) {
        for (Value input : sort.getInputs())
          if (failed(join(op, dims, of(input))))
            return failure();
        if (isDynamic(dims.back()))
          return refuse(op);
        for (Value each : sort->getResults())
          set(each, dims);
        return success();
      })
      .Default(std::optional<LogicalResult>());
}

} // namespace weir
