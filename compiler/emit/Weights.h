// The bytes of the weights, streamed from attributes to files.
#ifndef WEIR_COMPILER_EMIT_WEIGHTS_H
#define WEIR_COMPILER_EMIT_WEIGHTS_H

#include "compiler/emit/Interface.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TargetParser/Triple.h"

namespace weir {

/// The section of an object that holds embedded weights. Code generation makes
/// it tiny; placeWeights gives it its true size. Beyond what 32 bits reach, GNU
/// ld knows by the name, and lld by a flag, to lay it where no code jumps or
/// refers across it.
inline bool largeWeights(uint64_t bytes, const llvm::Triple &triple) {
  return bytes > (1u << 30) && triple.isX86();
}
inline llvm::StringRef weightsSection(uint64_t bytes,
                                      const llvm::Triple &triple) {
  return largeWeights(bytes, triple) ? ".lrodata.weir.weights"
                                     : ".weir.weights";
}

/// A fingerprint of the program that reads the weights: where each blob lies,
/// and the code of all instruction-set variants with the constants in it.
/// Models that differ in the values of their blobs alone have the same one.
uint64_t layoutHash(llvm::ArrayRef<mlir::ModuleOp> isaVariants,
                    const ModelInterface &model);

/// Writes exactly model.weightsBytes bytes, holding no copy of any blob.
llvm::Error streamWeights(const ModelInterface &model, llvm::raw_ostream &os);

/// A weights file: 64 bytes of header (runtime/abi.h), then the weights.
llvm::Error writeWeightsFile(const ModelInterface &model, llvm::raw_ostream &os,
                             uint64_t layoutHash);

/// Adds the address of the embedded weights to the module. Both globals are
/// initialized externally, so no zeros are folded and addresses have 64 bits.
llvm::Constant *addWeightsSlot(llvm::Module &module, uint64_t bytes);

/// Makes the object's weights section end the file: its bytes are to follow
/// the object. Padding up to their alignment is appended to the object.
llvm::Error placeWeights(llvm::SmallVectorImpl<char> &object, uint64_t bytes,
                         const llvm::Triple &triple);

/// Gives back the memory of resource blobs; the attributes are empty after.
void releaseWeights(ModelInterface &model);

} // namespace weir

#endif
