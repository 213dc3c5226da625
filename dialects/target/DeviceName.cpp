// The names that TensorFlow has for devices.

#include "dialects/target/DeviceName.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using llvm::StringRef;

namespace weir {

static bool isNumber(StringRef text) {
  return text == "*" || (!text.empty() && llvm::all_of(text, llvm::isDigit));
}

static bool isWord(StringRef text) {
  return !text.empty() && llvm::isAlpha(text.front()) &&
         llvm::all_of(text,
                      [](char c) { return llvm::isAlnum(c) || c == '_'; });
}

static DeviceKind kindOfType(StringRef type) {
  return type == "*"                      ? DeviceKind::Any
         : type.equals_insensitive("cpu") ? DeviceKind::Cpu
         : type.equals_insensitive("gpu") ? DeviceKind::Gpu
         : isWord(type)                   ? DeviceKind::Other
                                          : DeviceKind::None;
}

DeviceKind kindOfDevice(StringRef name) {
  DeviceKind kind = DeviceKind::Any;
  name.consume_front("/");
  while (!name.empty()) {
    StringRef part;
    std::tie(part, name) = name.split('/');
    auto [key, value] = part.split(':');
    StringRef type = key, number = value;
    if (key.equals_insensitive("job")) {
      if (value.empty())
        return DeviceKind::None;
      continue;
    }
    if (key.equals_insensitive("replica") || key.equals_insensitive("task")) {
      if (!isNumber(value))
        return DeviceKind::None;
      continue;
    }
    if (key.equals_insensitive("device"))
      std::tie(type, number) = value.split(':');
    else if (value.empty())
      return DeviceKind::None;
    kind = kindOfType(type);
    if (kind == DeviceKind::None || !(number.empty() || isNumber(number)))
      return DeviceKind::None;
  }
  return kind;
}

} // namespace weir
