// The names that TensorFlow has for devices.

#ifndef WEIR_DIALECTS_TARGET_DEVICENAME_H
#define WEIR_DIALECTS_TARGET_DEVICENAME_H

#include "llvm/ADT/StringRef.h"
#include <optional>

namespace weir {

/// `None` is what a text is that names no device at all.
enum class DeviceKind { Any, Cpu, Gpu, Other, None };

/// What the constraint of a node says, as in /job:worker/task:1/device:GPU:0,
/// in old graphs /gpu:0, or GPU:0. The number of a device has no effect: a
/// library has one GPU and its host.
struct DeviceName {
  DeviceKind kind = DeviceKind::Any;
  /// The job and the number of its task; empty and none where the name leaves
  /// them open.
  llvm::StringRef job;
  std::optional<uint64_t> task;

  /// The parts point into `name`.
  static DeviceName parse(llvm::StringRef name);
};

/// What kind of device a node with this constraint is for.
inline DeviceKind kindOfDevice(llvm::StringRef name) {
  return DeviceName::parse(name).kind;
}

} // namespace weir

#endif // WEIR_DIALECTS_TARGET_DEVICENAME_H
