// Moves kernels to a module for the GPU, where each work item is a thread.

#include "passes/gpu/Passes.h"

#include "passes/gpu/kernels/Stages.h"

#include "dialects/plan/Plan.h"
#include "dialects/weir/Attributes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/MapVector.h"

#include <numeric>

using namespace mlir;

namespace weir::gpu {
#define GEN_PASS_DEF_FORMLAUNCHES
#include "passes/gpu/Passes.h.inc"

namespace {

/// The threads of a block without shared memory. A processor with room for 16
/// blocks is full, and few threads of the last block are idle.
constexpr int64_t usualThreads = 128;
/// The limit of blocks along one dimension of a grid.
constexpr int64_t maxBlocks = INT32_MAX;
/// In bytes: the widest load or store of a thread, and the alignment that the
/// faster kernels of libraries require.
constexpr int64_t bytesAtOnce = 16;
/// The shared memory of a kernel without a request at launch, in bytes.
constexpr int64_t maxSharedBytes = 48 << 10;

struct FormLaunches : impl::FormLaunchesBase<FormLaunches> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    llvm::MapVector<StringAttr, plan::RunOp> kernels;
    module.walk([&](plan::RunOp run) {
      if (!run.getHost())
        kernels.insert({run.getKernelAttr().getAttr(), run});
    });
    OpBuilder b(&getContext());
    b.setInsertionPointToEnd(module.getBody());
    auto device = b.create<ModuleOp>(module.getLoc(), "weir_gpu_kernels");
    SmallVector<GpuKernelAttr> names;
    SymbolTable symbols(module), inside(device);
    gemms.clear();
    convs.clear();
    attentions.clear();
    for (auto [name, run] : kernels) {
      auto kernel = symbols.lookup<func::FuncOp>(name);
      if (!kernel) {
        run.emitError("runs a kernel that is not there");
        return signalPassFailure();
      }
      if (useLibrary(kernel)) {
        kernel.erase();
        continue;
      }
      markAligned(kernel);
      kernel->remove();
      inside.insert(kernel);
      takeConstants(kernel, symbols, inside);
      auto record = GpuKernelAttr::getChecked(
          [&] { return kernel.emitError(); }, &getContext(), name.getValue(),
          allocateShared(kernel, inside));
      if (!record)
        return signalPassFailure();
      names.push_back(record);
      if (failed(formLaunch(kernel, run)))
        return signalPassFailure();
    }
    for (auto global :
         llvm::make_early_inc_range(module.getOps<memref::GlobalOp>()))
      if (SymbolTable::symbolKnownUseEmpty(global, module))
        global.erase();
    attrs::gpuKernels.set(module, ArrayRef(names));
    if (!gemms.empty())
      attrs::gpuGemms.set(module, ArrayRef(gemms));
    if (!convs.empty())
      attrs::gpuConvs.set(module, ArrayRef(convs));
    if (!attentions.empty())
      attrs::gpuAttentions.set(module, ArrayRef(attentions));
  }

private:
  /// Whether a library computes the kernel. Then it becomes a row of a table,
  /// and each run of it gets the row's number.
  bool useLibrary(func::FuncOp kernel) {
    if (GemmAttr gemm = attrs::gemm.of(kernel))
      addRow(kernel, "weir_gpu_multiply", gemm, gemms);
    else if (ConvAttr conv = attrs::conv.of(kernel))
      addRow(kernel, "weir_gpu_convolve", conv, convs);
    else if (AttentionAttr attention = attrs::attention.of(kernel))
      addRow(kernel, "weir_gpu_attend", attention, attentions);
    else
      return false;
    return true;
  }

  template <typename Record>
  void addRow(func::FuncOp kernel, StringRef function, Record record,
              SmallVector<Record> &table) {
    bool isAligned = true;
    auto call = LibraryCallAttr::get(&getContext(), function,
                                     static_cast<int64_t>(table.size()),
                                     record.getOperands());
    getOperation().walk([&](plan::RunOp op) {
      if (op.getKernel() != kernel.getSymName())
        return;
      attrs::libraryCall.set(op, call);
      for (Value operand : op.getOperands())
        isAligned &= offsetOf(operand) % bytesAtOnce == 0;
    });
    table.push_back(record.asRow(isAligned));
  }

  /// Marks the kernel's arguments as aligned, if those of all runs are. LLVM
  /// then uses wide loads and stores. Copies to shared memory from other
  /// arguments become narrower.
  void markAligned(func::FuncOp kernel) {
    GpuAttr gpu = attrs::gpu.of(getOperation());
    bool isSimulated = gpu && gpu.isSimulated();
    SmallVector<bool> aligned(kernel.getNumArguments(), true);
    SmallVector<int64_t> together(kernel.getNumArguments(), bytesAtOnce);
    getOperation().walk([&](plan::RunOp run) {
      if (run.getKernel() == kernel.getName())
        for (auto [isAligned, bytes, operand] :
             llvm::zip(aligned, together, run.getOperands())) {
          int64_t offset = offsetOf(operand);
          isAligned &= offset % bytesAtOnce == 0 &&
                       !(isSimulated && isOfCaller(operand));
          bytes = std::gcd(bytes, offset);
        }
    });
    resolveViews(kernel);
    narrowCopies(kernel, [&](BlockArgument argument) {
      return argument.getOwner() == &kernel.getBody().front()
                 ? together[argument.getArgNumber()]
                 : bytesAtOnce;
    });
    Builder b(&getContext());
    for (auto [i, isAligned] : llvm::enumerate(aligned))
      if (isAligned && isa<MemRefType>(kernel.getArgument(i).getType()))
        kernel.setArgAttr(i, "llvm.align", b.getI64IntegerAttr(bytesAtOnce));
  }

  /// The simulator uses the caller's tensors directly; a GPU has copies of
  /// them.
  static bool isOfCaller(Value memref) {
    while (auto view = memref.getDefiningOp<plan::ViewOp>())
      memref = view.getSource();
    return memref.getDefiningOp<plan::ArgumentOp>();
  }

  /// The offset of a buffer in its block, in bytes. Blocks and arguments are
  /// aligned.
  static int64_t offsetOf(Value memref) {
    int64_t offset = 0;
    while (auto view = memref.getDefiningOp<plan::ViewOp>()) {
      offset += view.getOffset();
      memref = view.getSource();
    }
    Operation *op = memref.getDefiningOp();
    if (auto found = op->getAttrOfType<IntegerAttr>("offset"))
      offset += found.getInt();
    return offset;
  }

  /// Copies the constants in memory that the kernel reads.
  static void takeConstants(func::FuncOp kernel, SymbolTable &from,
                            SymbolTable &to) {
    kernel.walk([&](memref::GetGlobalOp get) {
      if (to.lookup(get.getName()))
        return;
      if (auto global = from.lookup<memref::GlobalOp>(get.getName()))
        to.insert(global.clone());
    });
  }

  /// Turns shared memory into a variable of the module. Memory beyond the
  /// static limit becomes a variable without size; its bytes are requested at
  /// each launch and returned here.
  static int64_t allocateShared(func::FuncOp kernel, SymbolTable &to) {
    int64_t dynamic = 0;
    kernel.walk([&](memref::AllocaOp alloca) {
      MemRefType type = alloca.getType();
      if (type.getMemorySpaceAsInt() != 3)
        return;
      OpBuilder b(alloca);
      int64_t bytes = type.getNumElements() * type.getElementTypeBitWidth() / 8;
      bool isDynamic = bytes > maxSharedBytes;
      if (isDynamic) {
        dynamic = std::max(dynamic, bytes);
        type = MemRefType::get({0}, type.getElementType(), AffineMap(),
                               type.getMemorySpace());
      }
      int64_t alignment =
          std::max<int64_t>(16, alloca.getAlignment().value_or(0));
      auto global =
          OpBuilder::atBlockEnd(&to.getOp()->getRegion(0).front())
              .create<memref::GlobalOp>(
                  alloca.getLoc(), (kernel.getName() + "_shared").str(),
                  isDynamic ? StringAttr() : b.getStringAttr("private"), type,
                  isDynamic ? Attribute() : b.getUnitAttr(),
                  /*constant=*/false, b.getI64IntegerAttr(alignment));
      to.insert(global);
      alloca.replaceAllUsesWith(b.create<memref::GetGlobalOp>(
                                     alloca.getLoc(), type, global.getSymName())
                                    .getResult());
      alloca.erase();
    });
    return dynamic;
  }

  static LogicalResult formLaunch(func::FuncOp kernel, plan::RunOp run) {
    ImplicitLocOpBuilder b(kernel.getLoc(), kernel);
    int64_t blocks = 1, threads = 1;
    if (std::optional<int64_t> workItems = run.getWorkItems()) {
      if (*workItems < 1)
        return run.emitError("has no work items");
      // Kernels whose blocks share a work item state the number of threads.
      auto shared = attrs::block.of(run);
      threads = shared ? shared.getInt()
                       : std::min<int64_t>(usualThreads,
                                           llvm::alignTo(*workItems, warp));
      blocks = shared ? *workItems : llvm::divideCeil(*workItems, threads);
      if (blocks > maxBlocks)
        return run.emitError("has more work items than a grid has threads");
      takeWorkItems(b, kernel, *workItems, shared ? 1 : threads);
    }
    auto launch = LaunchAttr::getChecked([&] { return run.emitError(); },
                                         b.getContext(), blocks, threads);
    if (!launch)
      return failure();
    kernel.setPublic();
    attrs::launch.set(kernel, launch);
    return success();
  }

  /// Computes the range of work items from the thread's index in the grid. It
  /// replaces the last three arguments.
  static void takeWorkItems(ImplicitLocOpBuilder &b, func::FuncOp kernel,
                            int64_t workItems, int64_t perBlock) {
    b.setInsertionPointToStart(&kernel.getBody().front());
    auto special = [&](Value value) -> Value {
      return b.create<arith::IndexCastUIOp>(b.getIndexType(), value);
    };
    auto index = [&](int64_t value) -> Value {
      return b.create<arith::ConstantIndexOp>(value);
    };
    Value first = special(b.create<NVVM::BlockIdXOp>(b.getI32Type()));
    if (perBlock > 1)
      first = b.create<arith::AddIOp>(
          b.create<arith::MulIOp>(first, index(perBlock)),
          special(b.create<NVVM::ThreadIdXOp>(b.getI32Type())));
    Value last = b.create<arith::MinSIOp>(
        b.create<arith::AddIOp>(first, index(1)), index(workItems));
    // Work items have no scratch memory of their own, so the slot is unused.
    Value memref[] = {first, last, index(0)};
    unsigned count = kernel.getNumArguments();
    for (int i = 0; i < 3; ++i)
      kernel.getArgument(count - 3 + i).replaceAllUsesWith(memref[i]);
    for (int i = 0; i < 3; ++i)
      kernel.eraseArgument(--count);
  }

  SmallVector<GemmAttr> gemms;
  SmallVector<ConvAttr> convs;
  SmallVector<AttentionAttr> attentions;
};

} // namespace
} // namespace weir::gpu
