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

DeviceName DeviceName::parse(StringRef name) {
  DeviceName none, found;
  none.kind = DeviceKind::None;
  name.consume_front("/");
  while (!name.empty()) {
    StringRef part;
    std::tie(part, name) = name.split('/');
    auto [key, value] = part.split(':');
    StringRef type = key, number = value;
    if (key.equals_insensitive("job")) {
      if (value.empty())
        return none;
      found.job = value == "*" ? StringRef() : value;
      continue;
    }
    if (key.equals_insensitive("replica") || key.equals_insensitive("task")) {
      if (!isNumber(value))
        return none;
      uint64_t task;
      if (key.equals_insensitive("task") && value != "*")
        found.task = value.getAsInteger(10, task) ? UINT64_MAX : task;
      continue;
    }
    if (key.equals_insensitive("device"))
      std::tie(type, number) = value.split(':');
    else if (value.empty())
      return none;
    found.kind = kindOfType(type);
    if (found.kind == DeviceKind::None || !(number.empty() || isNumber(number)))
      return none;
  }
  return found;
}

} // namespace weir
