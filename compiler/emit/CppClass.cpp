// The C++ class of a model: a header-only owner of a context and of buffers for
// its tensors.

#include "compiler/emit/Header.h"
#include "compiler/emit/Names.h"

#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace weir {
namespace {

struct Writer {
  raw_ostream &os;
  const ModelInterface &model;
  std::string name;

  /// The buffers live in the object, so a large class belongs on the heap.
  void buffers(const FunctionInterface &function) {
    for (const TensorInterface &tensor : members(function))
      os << "  alignas(64) " << cType(tensor.dtype) << ' ' << member(tensor)
         << "[" << std::max<int64_t>(tensor.elements, 1) << "] = {};\n";
  }

  std::vector<TensorInterface> members(const FunctionInterface &function) {
    std::vector<TensorInterface> all = function.inputs;
    all.insert(all.end(), function.outputs.begin(), function.outputs.end());
    return all;
  }
  std::string member(const TensorInterface &tensor) {
    return StringRef(tensor.macro).lower() + "_data_";
  }

  /// By their numbers and by their names, less the underscore that makes a
  /// name harmless: here the prefix does, and two in a row are reserved.
  void accessors(const std::vector<TensorInterface> &tensors, StringRef prefix,
                 StringRef qualifier) {
    TakenNames taken;
    for (auto [index, tensor] : enumerate(tensors)) {
      std::string name =
          unique(StringRef(tensor.argument).rtrim('_').str(), taken);
      for (const std::string &accessor :
           {prefix.str() + utostr(index), (prefix + "_" + name).str()})
        os << "  " << (qualifier.empty() ? "" : "const ") << cType(tensor.dtype)
           << " *" << accessor << "_data()" << qualifier << " { return "
           << member(tensor) << "; }\n";
    }
  }

  void call(const FunctionInterface &function) {
    std::string list;
    raw_string_ostream names(list);
    ListSeparator comma;
    for (const TensorInterface &tensor : members(function))
      names << comma << member(tensor);
    if (function.takesList())
      os << "    void *const tensors[] = {" << list << "};\n";
    os << "    return status_ ? status_ : " << function.c << "(context_"
       << (list.empty() ? "" : ", ")
       << (function.takesList() ? "tensors" : list) << ");\n";
  }

  /// The signature's name, as C has it, but for the class's own.
  std::string method(const FunctionInterface &function) {
    StringRef name = StringRef(function.c).drop_front(model.prefix.size() + 1);
    bool isOurs = name == "status" || name == "error" || name == "context";
    return (name + (isOurs ? "_" : "")).str();
  }

  void checkpoints() {
    for (StringRef name : {"save", "restore"})
      os << "  weir_status " << name << "(const char *path) {\n"
         << "    return status_ ? status_ : " << model.prefix << '_' << name
         << "(context_, path);\n  }\n";
  }

  void write() {
    const std::string &n = model.prefix;
    os << "class " << name << " {\npublic:\n"
       << "  explicit " << name << "(const weir_config *config = nullptr)\n"
       << "      : status_(" << n << "_create(nullptr, config, &context_)) {}\n"
       << "  ~" << name << "() { " << n << "_destroy(context_); }\n"
       << "  " << name << "(const " << name << " &) = delete;\n"
       << "  " << name << " &operator=(const " << name << " &) = delete;\n\n"
       << "  weir_status status() const { return status_; }\n"
       << "  const char *error() const {\n    return status_ ? " << n
       << "_status_text(status_) : " << n << "_last_error(context_);\n  }\n"
       << "  // For the functions of C; null where status() is none that is "
          "ok.\n"
       << "  " << n << "_ctx *context() { return context_; }\n";
    if (model.stateBytes)
      checkpoints();
    if (model.functions.size() == 1) {
      const FunctionInterface &function = model.functions[0];
      os << "  static constexpr size_t kNumArgs = " << function.inputs.size()
         << ", kNumResults = " << function.outputs.size() << ";\n"
         << "  weir_status Run() {\n";
      call(function);
      os << "  }\n";
      accessors(function.inputs, "arg", "");
      accessors(function.outputs, "result", " const");
      os << "\nprivate:\n";
      buffers(function);
    } else {
      for (const FunctionInterface &function : model.functions) {
        os << "  template <class... Tensors>\n  weir_status "
           << method(function)
           << "(Tensors... tensors) {\n    return status_ ? status_ : "
           << function.c << "(context_, tensors...);\n  }\n";
      }
      os << "\nprivate:\n";
    }
    os << "  " << n
       << "_ctx *context_ = nullptr;\n  weir_status status_;\n};\n";
  }
};

} // namespace

/// A name that a person chose, as it is: whether one of capitals is a macro is
/// theirs to know. What C++ cannot have is made harmless.
static std::string chosenName(StringRef text) {
  std::string name = cIdentifier(text);
  return text == text.upper() && name == (text + "_").str() ? text.str() : name;
}

void writeClass(raw_ostream &os, const ModelInterface &model,
                StringRef qualifiedName) {
  SmallVector<StringRef> parts;
  qualifiedName.split(parts, "::", -1, /*KeepEmpty=*/false);
  os << "\n#ifdef __cplusplus\n";
  for (StringRef space : ArrayRef(parts).drop_back())
    os << "namespace " << chosenName(space) << " {\n";
  Writer{os, model, chosenName(parts.empty() ? "Model" : parts.back())}.write();
  for (size_t i = 1; i < parts.size(); ++i)
    os << "} // namespace\n";
  os << "#endif\n";
}

} // namespace weir
