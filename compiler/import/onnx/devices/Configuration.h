// How a model says that several devices compute it (ONNX IR 11).

#ifndef WEIR_COMPILER_IMPORT_ONNX_DEVICES_CONFIGURATION_H
#define WEIR_COMPILER_IMPORT_ONNX_DEVICES_CONFIGURATION_H

#include "compiler/import/onnx/Model.h"

namespace weir::onnx {

/// Applies the device configuration that `--configuration` names, or the
/// model's only one: the module gets a mesh of one axis with a rank for each
/// device, and `options.onDivided` hears of each tensor that the devices have
/// in equal parts. Fails, with a diagnostic, if the model has several and the
/// option is not given, and for other divisions.
mlir::LogicalResult applyConfiguration(Report &report, const Model &model,
                                       const ImportOptions &options,
                                       mlir::ModuleOp module);

} // namespace weir::onnx

#endif // WEIR_COMPILER_IMPORT_ONNX_DEVICES_CONFIGURATION_H
