// The C side of a model, built in LLVM IR: its static tables and functions.
#ifndef WEIR_COMPILER_EMIT_TABLES_H
#define WEIR_COMPILER_EMIT_TABLES_H

#include "compiler/emit/Interface.h"

#include "llvm/IR/Module.h"

namespace weir {

/// The code for one kind of processor.
struct IsaVariantOptions {
  std::string symbols;                // what its entries' names begin with
  llvm::SmallVector<uint32_t, 8> cpu; // required bits, as runtime/cpu.c reads
};

struct TableOptions {
  std::string weightsFile; // its name; empty: embedded
  uint64_t weightsHash = 0;
  uint64_t contextBytes = 0;
  uint64_t contextAt = 0; // of a GPU: where the host's part of a context lies
  std::vector<IsaVariantOptions>
      isaVariants; // as model.instruction-set variants
};

/// Sets contextBytes and contextAt by what the runtime in the module says: see
/// runtime/abi.h and runtime/cuda/gpu.h.
llvm::Error sizeContext(const llvm::Module &module, const ModelInterface &model,
                        TableOptions &options);

/// Adds the tables and NAME_create and its kin to a module that has the model's
/// entries and the runtime. Only the public functions stay visible.
llvm::Error addTables(llvm::Module &module, const ModelInterface &model,
                      const TableOptions &options);

/// The weir_slice of each variable (runtime/abi.h); null where all are whole
/// tensors.
llvm::Constant *addSliceTable(llvm::Module &module,
                              const ModelInterface &model);

/// Adds what libraries compute, of which a model for a GPU has the address;
/// null where that is nothing.
llvm::Constant *addGemmTable(llvm::Module &module, const ModelInterface &model);
llvm::Constant *addConvTable(llvm::Module &module, const ModelInterface &model);
llvm::Constant *addAttentionTable(llvm::Module &module,
                                  const ModelInterface &model);

/// The words that the runtime's processor check wants for these features.
llvm::SmallVector<uint32_t, 8> requiredCpuBits(llvm::StringRef triple,
                                               llvm::StringRef features);

} // namespace weir

#endif
