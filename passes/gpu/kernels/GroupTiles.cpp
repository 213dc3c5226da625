// Emits tiles of f16 or bf16 products with wgmma (sm_90a), asynchronous
// instructions of four warps.
//
// A group of four warps multiplies 64 rows, or a multiple, by all columns of
// the tile, with 16 elements of the depth in an instruction. Both sides are in
// shared memory, where descriptors address them. Bits 0 to 13 have the address,
// bits 16 to 29 and 32 to 45 two strides, all in units of 16 bytes, and bits 62
// and 63 the swizzle, 1 for 128 bytes (PTX ISA, wgmma, matrix descriptors).
// Eight lines of 128 bytes are contiguous, and the second stride leads to the
// next eight. The first stride leads to the next part, if a line of memory is
// at one depth. The sums are distributed as those of mma.sync with 16 rows for
// each warp.
//
// The warps continue at once. Meanwhile the operands must not be overwritten,
// and the registers of the sums must not be used; they pass through the waiting
// instruction.

#include "passes/gpu/kernels/Products.h"

using namespace mlir;

namespace weir::gpu {
namespace {

constexpr int64_t warpsOfGroup = 4, rowsOfGroup = 64, depthAtOnce = 16;
constexpr int64_t lineBytes = 128, linesTogether = 8, unitBytes = 16;

class GroupThreads : public TileThreads {
public:
  GroupThreads(ThreadBuilder &b, const Tiling &tiling, const Slice &left,
               const Slice &right, Type element, Value thread)
      : b(b), left(left), right(right), element(element),
        columns(tiling.columns), groups(tiling.warpsDown / warpsOfGroup),
        blocks(tiling.rows / rowsOfGroup / groups),
        group(b.dividedBy(thread, warpsOfGroup * warp)) {
    Tiling block = tiling;
    block.rows = groups * rowsOfGroup;
    own = makeUnitThreads(b, block, left, right, element, thread);
  }

  int64_t sums() const override { return blocks * own->sums(); }
  bool isAsync() const override { return true; }
  void publish() override { emit("fence.proxy.async.shared::cta;", {}, {}); }

  SmallVector<Value> multiply(Value leftAt, Value rightAt,
                              ValueRange now) override {
    int64_t rowBytes =
        left.byDepth ? lineBytes : left.bytesOfPart() / rowsOfGroup;
    Value x = descriptor(
              left, after(b, leftAt, b.times(group, rowsOfGroup * rowBytes))),
          y = descriptor(right, rightAt);
    SmallVector<Value> sums(now);
    auto own = [&](int64_t block) {
      int64_t count = this->own->sums();
      return MutableArrayRef(sums).slice(block * count, count);
    };
    std::string text = product();
    emit("wgmma.fence.sync.aligned;", {}, {});
    for (int64_t k = 0; k < left.depth; k += depthAtOnce)
      for (int64_t i = 0; i < blocks; ++i) {
        Value rows =
            b.plus(further(x, left, k),
                   number(i * groups * rowsOfGroup * rowBytes / unitBytes));
        llvm::copy(emit(text, {rows, further(y, right, k)}, own(i)),
                   own(i).begin());
      }
    emit("wgmma.commit_group.sync.aligned;", {}, {});
    return sums;
  }

  void waitForOthers() override {
    emit("wgmma.wait_group.sync.aligned 1;", {}, {});
  }
  SmallVector<Value> wait(ValueRange sums) override {
    return emit("wgmma.wait_group.sync.aligned 0;", {}, sums);
  }

  void finish(
      ValueRange sums, int64_t most,
      llvm::function_ref<void(Value, Value, ArrayRef<Value>)> group) override {
    int64_t count = own->sums();
    for (int64_t i = 0; i < blocks; ++i)
      own->finish(sums.slice(i * count, count), most,
                  [&](Value row, Value column, ArrayRef<Value> sums) {
                    group(b.plus(row, b.index(i * groups * rowsOfGroup)),
                          column, sums);
                  });
  }

private:
  Value number(int64_t value) {
    return b.create<arith::ConstantIntOp>(value, 64);
  }

  Value descriptor(const Slice &slice, Value pointer) {
    constexpr int64_t swizzled = int64_t(1) << 62, addresses = (1 << 18) - 1;
    // Where the depth is along the lines there is one part.
    int64_t first = slice.byDepth ? unitBytes : slice.bytesOfPart();
    int64_t rest = swizzled | linesTogether * lineBytes / unitBytes << 32 |
                   first / unitBytes << 16;
    Value address = b.create<LLVM::PtrToIntOp>(b.getI64Type(), pointer);
    address = b.create<arith::ShRUIOp>(
        b.create<arith::AndIOp>(address, number(addresses)), number(4));
    return b.create<arith::OrIOp>(address, number(rest));
  }

  /// The descriptor of what is `k` elements further along the depth.
  Value further(Value descriptor, const Slice &slice, int64_t k) {
    int64_t bytes = k * (slice.byDepth ? slice.elementBytes : lineBytes);
    return b.plus(descriptor, number(bytes / unitBytes));
  }

  std::string product() {
    int64_t count = own->sums();
    std::string name, type = element.isF16() ? "f16" : "bf16";
    llvm::raw_string_ostream os(name);
    os << "{ .reg .pred p; setp.ne.b32 p, 1, 0; "
       << "wgmma.mma_async.sync.aligned.m64n" << columns << "k16.f32." << type
       << "." << type << " {";
    for (int64_t i = 0; i < count; ++i)
      os << (i ? ", $" : "$") << i;
    os << "}, $" << count << ", $" << count + 1 << ", p, 1, 1, "
       << !left.byDepth << ", " << !right.byDepth << "; }";
    return name;
  }

  /// An instruction that has the sums in registers and changes them.
  SmallVector<Value> emit(StringRef text, ArrayRef<Value> inputs,
                          ValueRange sums) {
    std::string constraints;
    llvm::raw_string_ostream os(constraints);
    for (size_t i = 0; i < sums.size(); ++i)
      os << "=f,";
    for (size_t i = 0; i < inputs.size(); ++i)
      os << "l,";
    for (size_t i = 0; i < sums.size(); ++i)
      os << i << ",";
    os << "~{memory}";
    SmallVector<Value> operands(inputs);
    llvm::append_range(operands, sums);
    SmallVector<Type> types;
    if (!sums.empty())
      types.push_back(LLVM::LLVMStructType::getLiteral(
          b.getContext(), SmallVector<Type>(sums.getTypes())));
    auto instruction = b.create<LLVM::InlineAsmOp>(
        types, operands, text, constraints, /*has_side_effects=*/true,
        /*is_align_stack=*/false, LLVM::AsmDialectAttr(), ArrayAttr());
    SmallVector<Value> results;
    for (size_t i = 0; i < sums.size(); ++i)
      results.push_back(
          b.create<LLVM::ExtractValueOp>(instruction->getResult(0), i));
    return results;
  }

  ThreadBuilder &b;
  Slice left, right;
  Type element;
  int64_t columns, groups, blocks; // blocks: of 64 rows, of a group
  Value group;
  std::unique_ptr<TileThreads> own; // knows whose the sums are
};

} // namespace

std::unique_ptr<TileThreads>
makeGroupThreads(ThreadBuilder &b, const Tiling &tiling, const Slice &left,
                 const Slice &right, Type element, Value thread) {
  return std::make_unique<GroupThreads>(b, tiling, left, right, element,
                                        thread);
}

} // namespace weir::gpu
