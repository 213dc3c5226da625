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
  mlir::ArrayAttr tasks;              // of a profile; null where there is none
};

struct TableOptions {
  std::string weightsFile; // its name; empty: embedded
  uint64_t weightsHash = 0;
  uint64_t contextBytes = 0;
  uint64_t contextAt = 0; // of a GPU: where the host's part of a context lies
  uint64_t profileAt = 0; // where the host's part has its profile
  uint64_t numEvents = 0; // of a run, for the profile of a GPU
  uint64_t ranksAt = 0;   // where a context has its weir_ranks
  std::vector<IsaVariantOptions>
      isaVariants; // as model.instruction-set variants
};

/// Sets contextBytes, contextAt, profileAt, numEvents and ranksAt by what the
/// runtime in the module says: see runtime/abi.h, runtime/cuda/gpu.h,
/// runtime/profile/profile.h, runtime/cuda/events.h and runtime/comm/mesh.h.
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

/// The tasks of the instruction-set variant with the most.
size_t countTasks(const TableOptions &options);
/// The most events that a run on a GPU records: one at both ends of it and of
/// each task.
uint64_t countEvents(const TableOptions &options, size_t numFunctions);
/// Adds NAME_profile, and to `values` the fields of weir_profile_model
/// (runtime/profile/profile.h) after those of weir_model, the type of `table`.
llvm::Error addProfile(llvm::Module &module, const ModelInterface &model,
                       const TableOptions &options, llvm::GlobalVariable &table,
                       llvm::SmallVectorImpl<llvm::Constant *> &values);

/// Equal for modules with equal code and weights. If the mesh divides nothing,
/// each rank has a model of its own: equal for equal collective operations.
/// Call it before the tables are complete: ranks compare it.
uint64_t fingerprintOf(const llvm::Module &module, const ModelInterface &model,
                       uint64_t weightsHash);
/// Adds NAME_mesh, and to `values` the fields of weir_mesh_model
/// (runtime/comm/mesh.h) after those of weir_model.
void addMesh(llvm::Module &module, const ModelInterface &model,
             const TableOptions &options, uint64_t fingerprint,
             llvm::SmallVectorImpl<llvm::Constant *> &values);

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
