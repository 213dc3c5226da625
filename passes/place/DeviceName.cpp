// The names that TensorFlow has for devices.

#include "passes/place/DeviceName.h"

using llvm::StringRef;

namespace weir {

DeviceKind kindOfDevice(StringRef name) {
  DeviceKind kind = DeviceKind::Any;
  while (!name.empty()) {
    StringRef part;
    std::tie(part, name) = name.split('/');
    auto [key, value] = part.split(':');
    if (key.equals_insensitive("device"))
      key = value.split(':').first;
    else if (!key.equals_insensitive("cpu") && !key.equals_insensitive("gpu"))
      continue;
    kind = key.equals_insensitive("cpu")   ? DeviceKind::Cpu
           : key.equals_insensitive("gpu") ? DeviceKind::Gpu
           : key == "*"                    ? DeviceKind::Any
                                           : DeviceKind::Other;
  }
  return kind;
}

} // namespace weir
