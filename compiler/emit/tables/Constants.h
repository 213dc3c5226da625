// Constants of the structs that the runtime reads, in LLVM IR.

#ifndef WEIR_COMPILER_EMIT_TABLES_CONSTANTS_H
#define WEIR_COMPILER_EMIT_TABLES_CONSTANTS_H

#include "compiler/emit/Names.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/Module.h"

namespace weir {

/// A table is a private global. Its fields have the types of the C struct.
struct ConstantBuilder {
  explicit ConstantBuilder(llvm::Module &module) : module(module) {}

  llvm::Module &module;
  llvm::LLVMContext &context = module.getContext();
  llvm::PointerType *ptr = llvm::PointerType::get(context, 0);
  llvm::IntegerType *i32 = llvm::Type::getInt32Ty(context),
                    *i64 = llvm::Type::getInt64Ty(context);

  llvm::Constant *null() { return llvm::ConstantPointerNull::get(ptr); }
  llvm::Constant *int32(uint32_t value) {
    return llvm::ConstantInt::get(i32, value);
  }
  llvm::Constant *int64(uint64_t value) {
    return llvm::ConstantInt::get(i64, value);
  }
  llvm::Constant *constant(llvm::Constant *value, const llvm::Twine &name);
  /// Text whose address does not matter, with a NUL at its end.
  llvm::Constant *text(llvm::StringRef value);
  /// Text that C reads up to its first NUL.
  llvm::Constant *cText(llvm::StringRef value);
  llvm::Constant *record(llvm::ArrayRef<llvm::Constant *> fields) {
    return llvm::ConstantStruct::getAnon(context, fields);
  }
  /// An array, or null if it has no items.
  llvm::Constant *list(llvm::ArrayRef<llvm::Constant *> items,
                       const llvm::Twine &name);
};

} // namespace weir

#endif // WEIR_COMPILER_EMIT_TABLES_CONSTANTS_H
