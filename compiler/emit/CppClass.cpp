// The C++ class of a model: a header-only owner of a context and of buffers for
// its tensors.

#include "compiler/emit/Header.h"
#include "compiler/emit/Names.h"

#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace weir {
namespace {

/// A cache line, and the widest vector.
constexpr int64_t tensorAlign = 64;

struct Writer {
  raw_ostream &os;
  const ModelInterface &model;
  std::string name;

  /// A typed pointer to each tensor, all in one block of the heap.
  void buffers(const FunctionInterface &function) {
    int64_t at = 0;
    for (const TensorInterface &tensor : members(function)) {
      StringRef type = cType(tensor.dtype);
      os << "  " << type << " *" << member(tensor) << "() const {\n"
         << "    return reinterpret_cast<" << type << " *>(memory_ + " << at
         << ");\n  }\n";
      at += llvm::alignTo(std::max<int64_t>(tensor.bytes, 1), tensorAlign);
    }
    os << "  static constexpr size_t kBytes_ = " << at << ";\n";
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
           << member(tensor) << "(); }\n";
    }
  }

  void call(const FunctionInterface &function) {
    std::string list;
    raw_string_ostream names(list);
    ListSeparator comma;
    for (const TensorInterface &tensor : members(function))
      names << comma << member(tensor) << "()";
    if (function.takesList())
      os << "    void *const tensors[] = {" << list << "};\n";
    os << "    return status_ ? status_ : " << function.c << "(context_"
       << (list.empty() ? "" : ", ")
       << (function.takesList() ? "tensors" : list) << ");\n";
  }

  /// The signature's name, as C has it, but for names that the class has.
  std::string method(const FunctionInterface &function) {
    StringRef name = StringRef(function.c).drop_front(model.prefix.size() + 1);
    bool isOurs = name == "status" || name == "error" || name == "context" ||
                  name == this->name;
    return (name + (isOurs ? "_" : "")).str();
  }

  void checkpoints() {
    for (StringRef name : {"save", "restore"})
      os << "  weir_status " << name << "(const char *path) {\n"
         << "    return status_ ? status_ : " << model.prefix << '_' << name
         << "(context_, path);\n  }\n";
  }

  /// The tensors of a large model do not fit on a stack, and a move must not
  /// copy them.
  void ownership(bool ownsTensors) {
    const std::string &n = model.prefix;
    os << "  ~" << name << "() {\n    " << n << "_destroy(context_);\n"
       << (ownsTensors ? "    free(block_);\n" : "") << "  }\n"
       << "  // What was moved from has no context, and its status() says so.\n"
       << "  " << name << "(" << name
       << " &&other) noexcept { swap_(other); }\n"
       << "  " << name << " &operator=(" << name << " &&other) noexcept {\n"
       << "    swap_(other);\n    return *this;\n  }\n";
  }

  /// `status_` of an object without a context is that there is none.
  void state(bool ownsTensors) {
    os << "  void swap_(" << name << " &other) noexcept {\n"
       << "    swap_(context_, other.context_);\n"
       << "    swap_(status_, other.status_);\n";
    if (ownsTensors)
      os << "    swap_(block_, other.block_);\n"
         << "    swap_(memory_, other.memory_);\n";
    os << "  }\n  template <class T> static void swap_(T &a, T &b) noexcept {\n"
       << "    T keep = a;\n    a = b;\n    b = keep;\n  }\n";
    if (ownsTensors)
      os << "  void allocate_() {\n"
         << "    block_ = static_cast<char *>(calloc(1, kBytes_ + "
         << tensorAlign << "));\n"
         << "    if (!block_) {\n"
         << "      status_ = status_ ? status_ : WEIR_ERR_MEMORY;\n"
         << "      return;\n    }\n"
         << "    memory_ = block_ + (" << tensorAlign
         << " - reinterpret_cast<uintptr_t>(block_) % " << tensorAlign
         << ");\n  }\n\n"
         << "  char *block_ = nullptr, *memory_ = nullptr;\n";
    os << "  " << model.prefix << "_ctx *context_ = nullptr;\n"
       << "  weir_status status_ = WEIR_ERR_CONTEXT;\n};\n";
  }

  void write() {
    const std::string &n = model.prefix;
    bool ownsTensors = model.functions.size() == 1;
    os << "class " << name << " {\npublic:\n"
       << "  explicit " << name << "(const weir_config *config = nullptr)\n"
       << "      : status_(" << n << "_create(nullptr, config, &context_)) {"
       << (ownsTensors ? "\n    allocate_();\n  }\n" : "}\n");
    ownership(ownsTensors);
    os << "\n"
       << "  weir_status status() const { return status_; }\n"
       << "  const char *error() const {\n    return status_ ? " << n
       << "_status_text(status_) : " << n << "_last_error(context_);\n  }\n"
       << "  // For the functions of C; null where status() is none that is "
          "ok.\n"
       << "  " << n << "_ctx *context() { return context_; }\n";
    if (model.stateBytes)
      checkpoints();
    if (ownsTensors) {
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
    state(ownsTensors);
  }
};

} // namespace

/// A name that a person chose, as it is: whether one of capitals is a macro is
/// theirs to know. What C++ cannot have is made harmless.
static std::string chosenName(StringRef text) {
  std::string name = cIdentifier(text);
  return text == text.upper() && name == (text + "_").str() ? text.str() : name;
}

/// Members of the classes: none may have the name of its class.
static constexpr StringLiteral memberNames[] = {
    "Run",     "context",    "create", "error", "function", "info",    "init",
    "restore", "last_error", "run",    "save",  "status",   "variable"};

/// The namespaces of the headers keep their names, and so do weir.h's types.
static bool isOurs(StringRef name) {
  return name == "std" || name == "weir" || name.starts_with("weir_");
}

QualifiedName qualified(StringRef text) {
  SmallVector<StringRef> parts;
  text.split(parts, "::", -1, /*KeepEmpty=*/false);
  QualifiedName name;
  for (StringRef space : ArrayRef(parts).drop_back(!parts.empty()))
    name.spaces.push_back(chosenName(space));
  name.name = chosenName(parts.empty() ? "Model" : parts.back());
  for (std::string &space : name.spaces)
    if (isOurs(space))
      space += '_';
  std::string own = StringRef(name.name).rtrim('_').str();
  if (isOurs(own) || is_contained(memberNames, StringRef(own)))
    name.name = own + "_class";
  return name;
}

void writeClass(raw_ostream &os, const ModelInterface &model,
                StringRef qualifiedName) {
  QualifiedName name = qualified(qualifiedName);
  os << "\n#ifdef __cplusplus\n#include <stdlib.h>\n";
  for (const std::string &space : name.spaces)
    os << "namespace " << space << " {\n";
  Writer{os, model, name.name}.write();
  for (size_t i = 0; i < name.spaces.size(); ++i)
    os << "} // namespace\n";
  os << "#endif\n";
}

} // namespace weir
