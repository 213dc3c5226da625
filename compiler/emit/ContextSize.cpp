// Computes the memory of a context: the model's part, and the runtime's part as
// the runtime reports it.

#include "compiler/emit/Tables.h"

#include "runtime/comm/steps.h"

#include "llvm/IR/Constants.h"

using namespace llvm;

namespace weir {

Error sizeContext(const Module &module, const ModelInterface &model,
                  TableOptions &options) {
  auto sizeOf = [&](StringRef name) -> uint64_t {
    auto *size = module.getNamedGlobal(name);
    if (!size || !size->hasInitializer())
      return 0;
    return cast<ConstantInt>(size->getInitializer())->getZExtValue();
  };
  uint64_t bytes = sizeOf("weir_context_bytes"), gpu = sizeOf("weir_gpu_bytes");
  if (!bytes || (model.gpu && !gpu))
    return createStringError("the runtime does not say its context's size");
  // A save keeps checksums where runs keep the order of tensors.
  uint64_t tensors = model.variables.size();
  for (const FunctionInterface &function : model.functions)
    tensors = std::max<uint64_t>(tensors, function.numTensors());
  if (model.gpu)
    options.contextAt = alignTo(
        gpu +
            8 * (model.kernels.size() + tensors + 2 * model.functions.size()) +
            sizeOf("weir_gpu_plan_bytes") * model.gemms.size() +
            sizeOf("weir_gpu_dnn_plan_bytes") *
                (model.convs.size() + model.attentions.size()),
        64);
  options.contextBytes =
      options.contextAt + alignTo(bytes + tensors * sizeof(uint32_t), 64);
  if (model.mesh) {
    options.ranksAt = options.contextBytes;
    options.contextBytes +=
        alignTo(sizeOf("weir_ranks_bytes") +
                    weir_ranks_words(model.mesh->collectives.size()) *
                        sizeof(uint32_t) +
                    roomOf(*model.mesh).steps * sizeof(weir_step),
                64);
  }
  if (!model.profile)
    return Error::success();
  // Each task has two numbers.
  uint64_t profile =
      sizeOf("weir_profile_bytes") + countTasks(options) * 2 * sizeof(uint64_t);
  // Each event has a handle, and what ends there in each function.
  if (model.gpu) {
    uint64_t functions = model.functions.size();
    options.numEvents = countEvents(options, functions);
    profile += sizeOf("weir_gpu_profile_bytes") + 8 * options.numEvents +
               4 * functions * (options.numEvents + 1);
  }
  options.profileAt = options.contextBytes - options.contextAt;
  options.contextBytes += alignTo(profile, 64);
  return Error::success();
}

} // namespace weir
