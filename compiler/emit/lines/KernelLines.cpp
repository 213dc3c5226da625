// The lines of kernels in DWARF: the text of their IR is the source.

#include "compiler/emit/lines/KernelLines.h"

#include "compiler/Place.h"
#include "compiler/emit/codegen/KernelSymbols.h"
#include "compiler/terminal/Version.h"
#include "dialects/weir/Attributes.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Transforms/LocationSnapshot.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/Support/Path.h"

using namespace mlir;

namespace weir {
namespace {

/// The nodes of `nodes`, at `line`. LLVM gives no line to a location that fuses
/// several lines, so all of them have this one.
Location moveTo(Location nodes, Location line) {
  SmallVector<Location> moved;
  auto fused = dyn_cast<FusedLoc>(nodes);
  for (Location each :
       fused ? fused.getLocations() : ArrayRef<Location>(nodes)) {
    std::string node = nodeOf(each);
    moved.push_back(
        node.empty()
            ? line
            : NameLoc::get(StringAttr::get(line.getContext(), node), line));
  }
  return moved.empty() ? line : FusedLoc::get(line.getContext(), moved);
}

/// One module, whose functions are in one file.
struct ScopeBuilder {
  ScopeBuilder(ModuleOp module, const EmitOptions &options, size_t number)
      : context(module.getContext()), prefix(isaVariantPrefix(number)) {
    StringRef name = llvm::sys::path::filename(options.kernelTexts[number]);
    // A path of this machine would be in the bytes of the product.
    StringRef folder =
        options.debugDir.empty() ? StringRef(".") : StringRef(options.debugDir);
    file = LLVM::DIFileAttr::get(context, name, folder);
    std::string producer;
    llvm::raw_string_ostream os(producer);
    printVersion(os);
    bool isOptimized = options.optLevel > 0;
    unit = LLVM::DICompileUnitAttr::get(
        DistinctAttr::create(UnitAttr::get(context)), llvm::dwarf::DW_LANG_C,
        file, StringAttr::get(context, StringRef(producer).trim()), isOptimized,
        LLVM::DIEmissionKind::Full);
    if (isOptimized)
      flags = flags | LLVM::DISubprogramFlags::Optimized;
  }

  void add(LLVM::LLVMFuncOp function) const {
    auto position = function.getLoc()->findInstanceOf<FileLineColLoc>();
    unsigned line = position ? position.getLine() : 1;
    std::string name = attrs::kernel.isOn(function)
                           ? kernelTitle(function, prefix)
                           : function.getName().str();
    auto type =
        LLVM::DISubroutineTypeAttr::get(context, llvm::dwarf::DW_CC_normal, {});
    auto scope = LLVM::DISubprogramAttr::get(
        DistinctAttr::create(UnitAttr::get(context)), unit, file, name,
        /*linkageName=*/"", file, line, line, flags, type);
    function->setLoc(FusedLoc::get(context, {function.getLoc()}, scope));
  }

  MLIRContext *context;
  std::string prefix;
  LLVM::DIFileAttr file;
  LLVM::DICompileUnitAttr unit;
  LLVM::DISubprogramFlags flags = LLVM::DISubprogramFlags::Definition |
                                  LLVM::DISubprogramFlags::LocalToUnit;
};

} // namespace

void locateInText(ModuleOp module, StringRef file, raw_ostream &os) {
  SmallVector<std::pair<Operation *, Location>> before;
  module.walk<WalkOrder::PreOrder>(
      [&](Operation *op) { before.push_back({op, op->getLoc()}); });
  OpPrintingFlags flags;
  flags.elideLargeResourceString(64);
  flags.elideLargeElementsAttrs(4096);
  generateLocationsFromIR(os, file, module, flags);
  for (auto [op, nodes] : before) {
    auto line = dyn_cast<FileLineColLoc>(op->getLoc());
    // The text leaves out some terminators.
    if (!line || line.getFilename() != file)
      line = op->getParentOp()->getLoc()->findInstanceOf<FileLineColLoc>();
    op->setLoc(moveTo(nodes, line));
  }
}

void addScopes(ModuleOp module, const EmitOptions &options, size_t number) {
  ScopeBuilder scopes(module, options, number);
  for (auto function : module.getOps<LLVM::LLVMFuncOp>())
    if (!function.isExternal())
      scopes.add(function);
}

} // namespace weir
