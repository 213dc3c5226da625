// The names that TensorFlow has for devices.

#ifndef WEIR_DIALECTS_TARGET_DEVICENAME_H
#define WEIR_DIALECTS_TARGET_DEVICENAME_H

#include "llvm/ADT/StringRef.h"

namespace weir {

/// `None` is what a text is that names no device at all.
enum class DeviceKind { Any, Cpu, Gpu, Other, None };

/// What kind of device a node with this constraint is for, as in
/// /job:worker/task:1/device:GPU:0, in old graphs /gpu:0, or GPU:0. Which job,
/// task and number is of no matter: a library has one GPU and its host.
DeviceKind kindOfDevice(llvm::StringRef name);

} // namespace weir

#endif // WEIR_DIALECTS_TARGET_DEVICENAME_H
