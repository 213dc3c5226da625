// Counts what tasks of a plan compute, read and write.

#include "dialects/plan/Work.h"

#include "dialects/plan/Tasks.h"
#include "dialects/weir/Attributes.h"

using namespace mlir;

namespace weir::plan {

/// The sum, or the largest number.
static int64_t sumOf(int64_t a, int64_t b) {
  int64_t sum;
  return llvm::AddOverflow(a, b, sum) ? INT64_MAX : sum;
}

/// The product, or the largest number.
static int64_t productOf(ArrayRef<int64_t> factors) {
  int64_t product = 1;
  for (int64_t factor : factors)
    if (llvm::MulOverflow(product, factor, product))
      return INT64_MAX;
  return product;
}

/// The row of a table of what libraries compute.
template <typename Record>
static Record rowOf(ArrayAttr table, int64_t number) {
  bool isThere = table && number < static_cast<int64_t>(table.size());
  return isThere ? cast<Record>(table[static_cast<unsigned>(number)])
                 : Record();
}

/// The multiply-adds of a call of a library, by the definition of its
/// operation.
static int64_t multiplyAddsOf(ModuleOp module, LibraryCallAttr call) {
  int64_t number = call.getNumber();
  if (call.getFunction() == "weir_gpu_multiply")
    if (auto row = rowOf<GemmAttr>(attrs::gpuGemms.of(module), number))
      return productOf({row.getBatch(), row.getM(), row.getN(), row.getK()});
  if (call.getFunction() == "weir_gpu_attend")
    if (auto row =
            rowOf<AttentionAttr>(attrs::gpuAttentions.of(module), number))
      return productOf({row.getBatch(), row.getHeads(), row.getRows(),
                        row.getColumns(),
                        sumOf(row.getDepth(), row.getWidth())});
  if (call.getFunction() == "weir_gpu_convolve")
    if (auto row = rowOf<ConvAttr>(attrs::gpuConvs.of(module), number))
      return productOf({row.getImages(), row.getOutputs(),
                        row.getInputs() / row.getGroups(), row.getWindow()[0],
                        row.getWindow()[1], row.resultSize(0),
                        row.resultSize(1)});
  return 0;
}

void Work::add(const Work &other) {
  read = sumOf(read, other.read);
  written = sumOf(written, other.written);
  multiplyAdds = sumOf(multiplyAdds, other.multiplyAdds);
}

int64_t Work::bytes() const { return sumOf(read, written); }

Work workOf(RunOp run) {
  Work sum;
  Operation *kernel = findKernel(run, run.getKernelAttr());
  OperandRange operands = run.getOperands();
  if (kernel && attrs::scratchBytes.isOn(kernel))
    operands = operands.drop_back();
  WorkAttr work = kernel ? attrs::work.of(kernel) : WorkAttr();
  // A kernel without a record, such as a pack, writes its last operand.
  auto inputs = static_cast<int64_t>(operands.size()) - 1;
  if (work) {
    inputs = std::min(work.getInputs(), inputs);
    sum.multiplyAdds = work.getMultiplyAdds();
  }
  if (LibraryCallAttr call = attrs::libraryCall.of(run))
    sum.multiplyAdds =
        sumOf(sum.multiplyAdds,
              multiplyAddsOf(run->getParentOfType<ModuleOp>(), call));
  for (auto [i, operand] : llvm::enumerate(operands)) {
    int64_t &bytes = static_cast<int64_t>(i) < inputs ? sum.read : sum.written;
    bytes = sumOf(bytes, bytesOf(cast<MemRefType>(operand.getType())));
  }
  return sum;
}

Work workOf(CopyOp copy) {
  Work sum;
  sum.read = sum.written = bytesOf(copy);
  return sum;
}

std::optional<int64_t> nanosecondsOf(Operation *task,
                                     FlatSymbolRefAttr kernel) {
  Operation *found = findKernel(task, kernel);
  IntegerAttr time = found ? attrs::nanoseconds.of(found) : IntegerAttr();
  if (!time)
    return std::nullopt;
  return time.getInt();
}

int64_t nanosecondsOf(const Work &work) {
  constexpr int64_t bytesInOne = 8, multiplyAddsInOne = 16;
  return std::max({work.bytes() / bytesInOne,
                   work.multiplyAdds / multiplyAddsInOne,
                   int64_t(work.bytes() != 0)});
}

} // namespace weir::plan
