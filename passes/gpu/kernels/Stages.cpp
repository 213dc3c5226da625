// Copies slices to shared memory asynchronously.

#include "passes/gpu/kernels/Stages.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/TypeSwitch.h"

#include <numeric>

using namespace mlir;

namespace weir::gpu {
namespace {

// PTX's number of the global address space.
constexpr unsigned globalSpace = 1;
// The bytes of one row of all banks of shared memory.
constexpr int64_t bankBytes = 128;

constexpr StringLiteral copyWhole = "llvm.nvvm.cp.async.cg.shared.global.16",
                        copyOrZero = "llvm.nvvm.cp.async.cg.shared.global.16.s";

Value word(ThreadBuilder &b, int64_t value) {
  return b.create<LLVM::ConstantOp>(b.getI32Type(), b.getI32IntegerAttr(value));
}

Value on(ThreadBuilder &b, Value pointer, int64_t bytes) {
  if (bytes == 0)
    return pointer;
  return b.create<LLVM::GEPOp>(
      pointer.getType(), b.getI8Type(), pointer,
      ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(bytes)});
}

Type bits(ThreadBuilder &b, int64_t bytes) {
  return b.getIntegerType(8 * bytes);
}

/// Copies `bytes`, a power of two to which `source` is aligned, or writes zeros
/// if `inside` is false. From 4 bytes on the copy is asynchronous.
void copy(ThreadBuilder &b, Value target, Value source, int64_t bytes,
          Value inside) {
  if (bytes < 4) {
    Type type = bits(b, bytes);
    Value value = b.create<LLVM::LoadOp>(type, source, bytes);
    if (inside)
      value = b.orZero(inside, value);
    b.create<LLVM::StoreOp>(value, target, bytes);
    return;
  }
  std::string name =
      bytes == chunkBytes
          ? copyWhole.str()
          : "llvm.nvvm.cp.async.ca.shared.global." + std::to_string(bytes);
  SmallVector<Value> operands = {target, source};
  if (inside) {
    name = bytes == chunkBytes ? copyOrZero.str() : name + ".s";
    operands.push_back(
        b.create<arith::SelectOp>(inside, word(b, bytes), word(b, 0)));
  }
  b.create<LLVM::CallIntrinsicOp>(TypeRange(), name, operands);
}

Value offsetOf(ThreadBuilder &b, MemRefType type, ValueRange at) {
  SmallVector<int64_t> strides;
  int64_t offset = 0;
  [[maybe_unused]] LogicalResult known =
      getStridesAndOffset(type, strides, offset);
  assert(succeeded(known) && "memory without addresses");
  Value sum = b.index(offset);
  for (auto [index, stride] : llvm::zip_equal(at, strides))
    sum = b.plus(sum, b.times(index, stride));
  return sum;
}

/// The argument from which a pointer is computed, or null.
BlockArgument rootOf(Value pointer) {
  while (Operation *op = pointer.getDefiningOp()) {
    if (op->getNumOperands() == 0)
      return {};
    pointer = op->getOperand(0);
  }
  return cast<BlockArgument>(pointer);
}

} // namespace

bool Side::hasAddresses() const {
  SmallVector<int64_t> strides;
  int64_t offset;
  return succeeded(getStridesAndOffset(cast<MemRefType>(memory.getType()),
                                       strides, offset)) &&
         !ShapedType::isDynamic(offset) &&
         llvm::none_of(strides, ShapedType::isDynamic);
}

int64_t Side::bytesTogether() const {
  auto type = cast<MemRefType>(memory.getType());
  SmallVector<int64_t> strides;
  int64_t offset;
  int64_t most = chunkBytes / elementBytes();
  if (failed(getStridesAndOffset(type, strides, offset)))
    return elementBytes();
  int64_t together = std::gcd(std::gcd(most, run), offset);
  for (auto [size, stride] : llvm::zip_equal(type.getShape(), strides))
    if (size > 1 && stride != 1)
      together = std::gcd(together, stride);
  return together * elementBytes();
}

Value Side::load(ThreadBuilder &b, Value batch, Value line, Value k) const {
  Position position = this->position(batch, line, k);
  if (!position.inside)
    return b.load(memory, position.at);
  for (Value &index : position.at)
    index = b.create<arith::SelectOp>(position.inside, index, b.index(0));
  return b.orZero(position.inside, b.load(memory, position.at));
}

Value Slice::offsetOf(ThreadBuilder &b, Value line, Value chunk) const {
  if (inParts) {
    constexpr int64_t ways = bankBytes / chunkBytes;
    Value turned =
        b.create<arith::XOrIOp>(b.modulo(chunk, ways), b.modulo(line, ways));
    return b.plus(
        b.times(b.dividedBy(chunk, ways), bytesOfPart()),
        b.plus(b.times(line, bankBytes), b.times(turned, chunkBytes)));
  }
  int64_t chunks = chunksOfLine();
  // As many lines as fill a row of banks are swizzled alike, so that eight
  // chunks of adjacent lines are in all banks. If single words are read, from
  // two chunks of four lines, pairs of chunks stay together.
  int64_t together = std::max<int64_t>(1, bankBytes / bytesOfLine());
  bool inPairs = !byDepth && elementBytes == 4;
  int64_t ways = std::min<int64_t>(chunks, bankBytes / chunkBytes);
  if (inPairs)
    ways /= 2;
  Value turn =
      b.modulo(b.dividedBy(line, together), std::max<int64_t>(ways, 1));
  if (inPairs)
    turn = b.times(turn, 2);
  return b.plus(b.times(line, bytesOfLine()),
                b.times(b.create<arith::XOrIOp>(chunk, turn), chunkBytes));
}

Value pointerTo(ThreadBuilder &b, Value memory) {
  auto type = cast<MemRefType>(memory.getType());
  Value address = b.create<arith::IndexCastUIOp>(
      b.getI64Type(), b.create<memref::ExtractAlignedPointerAsIndexOp>(memory));
  return b.create<LLVM::IntToPtrOp>(
      LLVM::LLVMPointerType::get(b.getContext(), type.getMemorySpaceAsInt()),
      address);
}

Value after(ThreadBuilder &b, Value pointer, Value bytes) {
  Value count = b.create<arith::IndexCastUIOp>(b.getI64Type(), bytes);
  return b.create<LLVM::GEPOp>(pointer.getType(), b.getI8Type(), pointer,
                               ValueRange(count));
}

Value loadAt(ThreadBuilder &b, Type type, Value pointer) {
  int64_t bytes = 4;
  if (auto vector = dyn_cast<VectorType>(type))
    bytes *= vector.getNumElements();
  return b.create<LLVM::LoadOp>(type, pointer, bytes);
}

void beginSlice(ThreadBuilder &b, const Side &side, const Slice &slice,
                const Part &part, Value k, Value target, Value thread,
                int64_t threads, int64_t chunksTogether) {
  auto type = cast<MemRefType>(side.memory.getType());
  int64_t each = slice.elementsOfChunk(), chunks = slice.chunksOfLine();
  int64_t count = slice.bytes() / chunkBytes;
  int64_t piece = side.bytesTogether(), elements = piece / slice.elementBytes;
  Value source = b.create<LLVM::AddrSpaceCastOp>(
      LLVM::LLVMPointerType::get(b.getContext(), globalSpace),
      pointerTo(b, side.memory));
  auto copyPiece = [&](Value line, Value depth, Value to, int64_t number) {
    Value inside;
    auto check = [&](Value index, int64_t size) {
      Value here = b.isInside(index, size);
      inside = inside ? b.both(inside, here) : here;
      return b.clamped(index, size);
    };
    if (part.passesLines)
      line = check(line, part.lines);
    if (part.passesDepth)
      depth = check(depth, part.depth);
    Position position = side.position(part.batch, line, depth);
    if (position.inside)
      inside = inside ? b.both(inside, position.inside) : position.inside;
    Value offset = offsetOf(b, type, position.at);
    if (inside)
      offset = b.create<arith::SelectOp>(inside, offset, b.index(0));
    copy(b, on(b, to, number * piece),
         after(b, source, b.times(offset, slice.elementBytes)), piece, inside);
  };
  auto copyChunk = [&](Value number) {
    Value memoryLine = b.dividedBy(number, chunks),
          chunk = b.modulo(number, chunks);
    Value to = after(b, target, slice.offsetOf(b, memoryLine, chunk));
    for (int64_t i = 0; i < each / elements; ++i) {
      Value along = b.plus(b.times(chunk, each), b.index(i * elements));
      Value line = b.plus(part.first, slice.byDepth ? memoryLine : along);
      Value depth = b.plus(k, slice.byDepth ? along : memoryLine);
      copyPiece(line, depth, to, i);
    }
  };
  auto numberOf = [&](Value first, int64_t round) {
    return b.plus(first, b.index(round * threads));
  };
  int64_t rounds = llvm::divideCeil(count, threads);
  if (rounds > chunksTogether) {
    while (count % (chunksTogether * threads) != 0 && chunksTogether > 1)
      --chunksTogether;
    b.stride(thread, count, chunksTogether * threads, [&](Value first) {
      for (int64_t i = 0; i < chunksTogether; ++i)
        copyChunk(numberOf(first, i));
    });
    return;
  }
  for (int64_t i = 0; i < rounds; ++i) {
    Value number = numberOf(thread, i);
    if ((i + 1) * threads <= count)
      copyChunk(number);
    else
      b.onlyIf(b.isInside(number, count), [&] { copyChunk(number); });
  }
}

void endGroup(ThreadBuilder &b) { b.create<NVVM::CpAsyncCommitGroupOp>(); }

void waitForGroups(ThreadBuilder &b, int64_t groups) {
  b.create<NVVM::CpAsyncWaitGroupOp>(groups);
}

SmallVector<Value> loadMatrices(ThreadBuilder &b, Value pointer,
                                bool transposed) {
  auto type = LLVM::LLVMStructType::getLiteral(
      b.getContext(), SmallVector<Type>(4, b.getI32Type()));
  Value all = b.create<NVVM::LdMatrixOp>(type, pointer, 4u,
                                         transposed ? NVVM::MMALayout::col
                                                    : NVVM::MMALayout::row);
  SmallVector<Value> words;
  for (int64_t i = 0; i < 4; ++i)
    words.push_back(b.create<LLVM::ExtractValueOp>(all, i));
  return words;
}

/// The view of a buffer whose memory is `place`, behind reshapes.
static memref::ViewOp viewOf(Value position) {
  while (auto other = position.getDefiningOp<ViewLikeOpInterface>()) {
    if (auto view = dyn_cast<memref::ViewOp>(other.getOperation()))
      return view;
    position = other.getViewSource();
  }
  return nullptr;
}

void resolveViews(Operation *function) {
  SmallVector<memref::ExtractAlignedPointerAsIndexOp> found;
  function->walk([&](memref::ExtractAlignedPointerAsIndexOp op) {
    if (viewOf(op.getSource()))
      found.push_back(op);
  });
  for (memref::ExtractAlignedPointerAsIndexOp op : found) {
    memref::ViewOp view = viewOf(op.getSource());
    ThreadBuilder b(op.getLoc(), op);
    Value base =
        b.create<memref::ExtractAlignedPointerAsIndexOp>(view.getSource());
    op.replaceAllUsesWith(b.plus(base, view.getByteShift()));
    op.erase();
  }
}

void narrowCopies(Operation *function,
                  llvm::function_ref<int64_t(BlockArgument)> alignment) {
  SmallVector<std::pair<LLVM::CallIntrinsicOp, int64_t>> found;
  function->walk([&](LLVM::CallIntrinsicOp op) {
    StringRef name = op.getIntrin();
    int64_t bytes;
    if (!name.consume_front("llvm.nvvm.cp.async.c"))
      return;
    name = name.drop_front(sizeof("a.shared.global.") - 1);
    name.consume_back(".s");
    if (name.getAsInteger(10, bytes))
      return;
    BlockArgument root = rootOf(op.getArgs()[1]);
    int64_t aligned = root ? alignment(root) : chunkBytes;
    if (aligned < bytes)
      found.push_back({op, bytes});
  });
  for (auto [op, bytes] : found) {
    int64_t piece = alignment(rootOf(op.getArgs()[1]));
    ThreadBuilder b(op.getLoc(), op);
    Value target = op.getArgs()[0], source = op.getArgs()[1], inside;
    if (op.getArgs().size() == 3)
      inside = b.create<LLVM::ICmpOp>(LLVM::ICmpPredicate::ne, op.getArgs()[2],
                                      word(b, 0));
    for (int64_t at = 0; at < bytes; at += piece)
      copy(b, on(b, target, at), on(b, source, at), piece, inside);
    op.erase();
  }
}

} // namespace weir::gpu
