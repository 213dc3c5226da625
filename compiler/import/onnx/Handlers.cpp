// The list of all handlers.

#include "compiler/import/onnx/Handlers.h"

#include "compiler/import/Names.h"
#include "compiler/import/Ops.h"
#include "compiler/import/onnx/Tracer.h"
#include "compiler/import/onnx/attention/Attention.h"
#include "compiler/import/onnx/image/Image.h"
#include "compiler/import/onnx/learned/Learned.h"
#include "compiler/import/onnx/microsoft/Attention.h"
#include "compiler/import/onnx/narrow/Narrow.h"
#include "compiler/import/onnx/neural/Compose.h"
#include "compiler/import/onnx/quantized/Quantized.h"
#include "compiler/import/onnx/signal/Signal.h"

#include <set>

namespace weir::onnx {

const Handlers &handlers() {
  static const Handlers table = [] {
    Handlers handlers;
    addActivationHandlers(handlers);
    addArithmeticHandlers(handlers);
    addAttentionHandlers(handlers);
    addBandHandlers(handlers);
    addCastHandlers(handlers);
    addControlHandlers(handlers);
    addConvolutionHandlers(handlers);
    addCoreHandlers(handlers);
    addEncoderHandlers(handlers);
    addFeatureHandlers(handlers);
    addFlexAttentionHandlers(handlers);
    addGatherHandlers(handlers);
    addGradientHandlers(handlers);
    addJoinHandlers(handlers);
    addLinearAttentionHandlers(handlers);
    addLabelHandlers(handlers);
    addLinearModelHandlers(handlers);
    addSvmHandlers(handlers);
    addNormHandlers(handlers);
    addOptimizerHandlers(handlers);
    addOrderHandlers(handlers);
    addPadHandlers(handlers);
    addPatchHandlers(handlers);
    addPoolHandlers(handlers);
    addProductHandlers(handlers);
    addQuantizedHandlers(handlers);
    addRandomHandlers(handlers);
    addRangeHandlers(handlers);
    addRecurrentHandlers(handlers);
    addReductionHandlers(handlers);
    addRegionHandlers(handlers);
    addRoiAlignHandlers(handlers);
    addRemovedHandlers(handlers);
    addReshapeHandlers(handlers);
    addResizeHandlers(handlers);
    addSampleHandlers(handlers);
    addSequenceHandlers(handlers);
    addSignalHandlers(handlers);
    addSliceHandlers(handlers);
    addSoftmaxHandlers(handlers);
    addTreeHandlers(handlers);
    // Some are those of ONNX's own operators, which come first.
    addMicrosoftActivationHandlers(handlers);
    addMicrosoftArrayHandlers(handlers);
    addMicrosoftAttentionHandlers(handlers);
    addMicrosoftBlockHandlers(handlers);
    addMicrosoftCacheHandlers(handlers);
    addMicrosoftCollectiveHandlers(handlers);
    addMicrosoftExpertHandlers(handlers);
    addMicrosoftNormHandlers(handlers);
    addMicrosoftProductHandlers(handlers);
    addMicrosoftQuantizedHandlers(handlers);
    addMicrosoftRotaryHandlers(handlers);
    addRefusedHandlers(handlers);
    return handlers;
  }();
  return table;
}

std::vector<std::string> listOps() {
  std::set<std::string> ops;
  for (const auto &entry : handlers())
    ops.insert(entry.getKey().str());
  for (const auto &entry : onnxNames())
    ops.insert(entry.getKey().str());
  // Their handlers only say why they are not supported.
  Handlers refused;
  addRefusedHandlers(refused);
  for (const auto &entry : refused)
    ops.erase(entry.getKey().str());
  return {ops.begin(), ops.end()};
}

} // namespace weir::onnx
