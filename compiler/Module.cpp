// Reads IR and sees that compilation may begin with it.

#include "compiler/Module.h"

#include "compiler/SystemErrors.h"
#include "compiler/import/Dependencies.h"
#include "dialects/graph/Graph.h"
#include "dialects/weir/Attributes.h"

#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;

namespace weir {
namespace {

/// What the stages before `fuse` take and leave.
bool isEarly(Operation *op) {
  if (isa<graph::GroupOp>(op))
    return false;
  return isa<ModuleOp>(op) ||
         isa<func::FuncDialect, graph::GraphDialect>(op->getDialect());
}

/// Whether so many bytes are the values of a tensor; those of i1 may be packed.
bool hasSize(ShapedType type, size_t bytes) {
  if (!type.hasStaticShape() || !type.getElementType().isIntOrFloat())
    return false;
  int64_t count = 1;
  for (int64_t size : type.getShape())
    if (llvm::MulOverflow(count, size, count))
      return false;
  int64_t wanted, width = (type.getElementTypeBitWidth() + 7) / 8;
  if (type.getElementType().isInteger(1) &&
      bytes == static_cast<size_t>(count / 8 + (count % 8 != 0)))
    return true;
  return !llvm::MulOverflow(count, width, wanted) &&
         bytes == static_cast<size_t>(wanted);
}

LogicalResult checkResource(Operation *op, DenseResourceElementsAttr values) {
  StringRef key = values.getRawHandle().getKey();
  AsmResourceBlob *blob = values.getRawHandle().getBlob();
  if (!blob)
    return emitError(op->getLoc())
           << "the values of '" << escaped(key)
           << "' are not in the file: stdout shows IR without "
              "them, -o PATH writes them";
  if (!hasSize(values.getType(), blob->getData().size()))
    return emitError(op->getLoc())
           << "the values of '" << escaped(key) << "' are "
           << blob->getData().size() << " bytes, which is not "
           << values.getType();
  return success();
}

LogicalResult check(Operation *op) {
  if (!isEarly(op))
    return emitError(op->getLoc())
           << "'" << op->getName()
           << "' is of a stage after grad; compilation begins "
              "with what import, train, graph or grad leaves";
  WalkResult result =
      op->getAttrDictionary().walk([&](DenseResourceElementsAttr values) {
        return failed(checkResource(op, values)) ? WalkResult::interrupt()
                                                 : WalkResult::advance();
      });
  return failure(result.wasInterrupted());
}

} // namespace

OwningOpRef<ModuleOp> parseModule(MLIRContext *context, StringRef path,
                                  bool trustsBytecode, Status &status) {
  Location at = FileLineColLoc::get(context, path, 0, 0);
  auto file = llvm::MemoryBuffer::getFile(path);
  if (!file) {
    emitError(at) << "cannot open: " << file.getError().message();
    status = systemStatus(file.getError());
    return {};
  }
  addDependency(path);
  if (!trustsBytecode && isBytecode(**file)) {
    emitError(at) << "is MLIR's bytecode, whose reader believes every byte; "
                     "--trust-bytecode reads it";
    status = Status::badInput;
    return {};
  }
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(std::move(*file), llvm::SMLoc());
  auto module = parseSourceFile<ModuleOp>(sources, context);
  if (!module)
    status = Status::badInput;
  return module;
}

OwningOpRef<ModuleOp> readModule(MLIRContext *context, StringRef path,
                                 bool trustsBytecode, Status &status) {
  OwningOpRef<ModuleOp> module =
      parseModule(context, path, trustsBytecode, status);
  if (!module)
    return {};
  WalkResult result = module->walk([](Operation *op) {
    return failed(check(op)) ? WalkResult::interrupt() : WalkResult::advance();
  });
  if (!result.wasInterrupted())
    return module;
  status = Status::badInput;
  return {};
}

namespace {
/// Of the tensors of one function, each in its turn.
class Namer {
public:
  explicit Namer(TensorNames names) {
    for (const auto &[tensor, name] : names)
      left[tensor].push_back(name);
  }

  /// Null for one that keeps its name.
  StringAttr next(DictionaryAttr fields) {
    StringAttr tensor = attrs::tensor.in(fields);
    auto found = tensor ? left.find(tensor.getValue()) : left.end();
    if (found == left.end() || found->second.empty())
      return nullptr;
    StringRef name = found->second.front();
    found->second.erase(found->second.begin());
    return StringAttr::get(tensor.getContext(), name);
  }

private:
  llvm::StringMap<SmallVector<StringRef, 1>> left;
};
} // namespace

void nameTensors(ModuleOp module, TensorNames inputs, TensorNames outputs) {
  for (auto function : module.getOps<func::FuncOp>()) {
    Namer input(inputs), output(outputs);
    for (unsigned i = 0; i < function.getNumArguments(); ++i)
      if (StringAttr name = input.next(function.getArgAttrDict(i)))
        attrs::name.setOnArgument(function, i, name);
    for (unsigned i = 0; i < function.getNumResults(); ++i)
      if (StringAttr name = output.next(function.getResultAttrDict(i)))
        attrs::name.setOnResult(function, i, name);
  }
}

} // namespace weir
