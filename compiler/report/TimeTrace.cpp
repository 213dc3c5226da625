// The trace of --time-trace: LLVM's profiler of the compiler itself.

#include "compiler/report/TimeTrace.h"

#include "mlir/IR/SymbolTable.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/TimeProfiler.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace weir {
namespace {

/// The microseconds of the shortest event. A pass over a small kernel takes
/// less, and large models have 100,000 such events.
constexpr unsigned shortestEvent = 10;

void beginThread() { llvm::timeTraceProfilerInitialize(shortestEvent, "weir"); }

/// A thread of the context's pool runs the pipeline of one function after the
/// other. It begins a profiler with the first of nested pipelines and ends it
/// with the same one, because nothing tells it that it is idle.
class PassTrace : public PassInstrumentation {
public:
  void runBeforePipeline(std::optional<OperationName>,
                         const PipelineParentInfo &) override {
    if (depth || !llvm::timeTraceProfilerEnabled()) {
      if (!depth)
        beginThread();
      ++depth;
    }
  }

  void runAfterPipeline(std::optional<OperationName>,
                        const PipelineParentInfo &) override {
    if (depth && !--depth)
      llvm::timeTraceProfilerFinishThread();
  }

  void runBeforePass(Pass *pass, Operation *op) override {
    if (!llvm::timeTraceProfilerEnabled())
      return;
    StringRef name = pass->getArgument();
    llvm::timeTraceProfilerBegin(name.empty() ? "passes over functions" : name,
                                 detailOf(op));
  }

  void runAfterPass(Pass *, Operation *) override { end(); }
  void runAfterPassFailed(Pass *, Operation *) override { end(); }

private:
  static void end() {
    if (llvm::timeTraceProfilerEnabled())
      llvm::timeTraceProfilerEnd();
  }

  static std::string detailOf(Operation *op) {
    auto symbol =
        op->getAttrOfType<StringAttr>(SymbolTable::getSymbolAttrName());
    return symbol ? llvm::json::fixUTF8(symbol.getValue()) : "module";
  }

  /// How deep pipelines nest on a thread whose profiler this class has begun.
  static thread_local unsigned depth;
};

thread_local unsigned PassTrace::depth = 0;

} // namespace

TimeTrace::TimeTrace(bool isOn) : isOn(isOn) {
  if (isOn)
    beginThread();
}

TimeTrace::~TimeTrace() {
  if (isOn)
    llvm::timeTraceProfilerCleanup();
}

std::string TimeTrace::text() const {
  SmallString<0> text;
  llvm::raw_svector_ostream os(text);
  llvm::timeTraceProfilerWrite(os);
  return std::string(text);
}

ThreadTrace::ThreadTrace(bool isOn) : isOn(isOn) {
  if (isOn)
    beginThread();
}

ThreadTrace::~ThreadTrace() {
  if (isOn)
    llvm::timeTraceProfilerFinishThread();
}

std::unique_ptr<PassInstrumentation> tracePasses() {
  return std::make_unique<PassTrace>();
}

} // namespace weir
