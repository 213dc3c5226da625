// Writes the C++17 interface of a model into a header that ends in .hpp: a
// class that derives from weir::model and has the tensors as types.

#include "compiler/emit/Header.h"
#include "compiler/emit/Names.h"
#include "compiler/emit/Object.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace weir {
namespace {

/// Members of the types that describe tensors, and of weir::model.
constexpr StringLiteral tensorMembers[] = {
    "type",  "dynamic", "rank",   "shape", "elements", "bytes",
    "array", "name",    "tensor", "least", "dims",     "dynamic_tensor"};
constexpr StringLiteral modelMembers[] = {
    "create", "info",    "context",  "last_error", "init",
    "save",   "restore", "function", "variable",   "model"};

/// The text as a string literal: ASCII alone, without trigraphs.
std::string literal(StringRef text) {
  std::string out = "\"";
  for (char c : text) {
    if (isPrint(c) && c != '"' && c != '\\' && c != '?')
      out += c;
    else
      for (char digit :
           {'\\', char('0' + (uint8_t(c) >> 6)),
            char('0' + (uint8_t(c) >> 3 & 7)), char('0' + (uint8_t(c) & 7))})
        out += digit;
  }
  return out + "\"";
}

struct Writer {
  raw_ostream &os;
  const ModelInterface &model;
  std::string name;
  TakenNames members = {};

  /// A name of the class, which is not that of the class itself.
  std::string memberName(StringRef text) { return unique(text.str(), members); }

  template <typename Range, typename Text>
  void array(StringRef type, StringRef called, const Range &range, Text text) {
    os << "      static constexpr ::std::array<" << type << ", "
       << std::size(range) << "> " << called << "{{";
    interleaveComma(range, os, [&](const auto &item) { os << text(item); });
    os << "}};\n";
  }

  /// The type that describes a tensor.
  void tensor(const TensorInterface &tensor, StringRef called) {
    bool isDynamic = tensor.shapeTensor >= 0;
    os << "    struct " << called
       << " : ::weir::" << (isDynamic ? "dynamic_tensor" : "tensor") << '<'
       << cType(tensor.dtype);
    for (int64_t size : tensor.type.getShape())
      os << ", " << size;
    os << "> {\n      static constexpr const char *name = "
       << literal(tensor.name) << ";\n";
    if (isDynamic) {
      array("::std::int64_t", "least", tensor.least,
            [](int64_t size) { return std::to_string(size); });
      array("const char *", "dims", tensor.dims,
            [](const std::string &dim) { return literal(dim); });
    }
    os << "    };\n";
  }

  std::vector<std::string> tensors(const std::vector<TensorInterface> &list,
                                   StringRef called) {
    TakenNames taken;
    for (StringRef reserved : tensorMembers)
      taken.insert({reserved, 2});
    taken.insert({called, 2});
    std::vector<std::string> names;
    os << "  struct " << called << " {\n";
    for (const TensorInterface &one : list) {
      std::string safe = one.argument;
      if (taken.contains(safe))
        safe += '_';
      names.push_back(unique(safe, taken));
      tensor(one, names.back());
    }
    os << "  };\n";
    return names;
  }

  void parameters(const FunctionInterface &function,
                  const std::vector<std::string> &inputs,
                  const std::vector<std::string> &outputs, StringRef in,
                  StringRef out) {
    ListSeparator comma(",\n      ");
    os << "\n      ";
    for (auto [tensor, name] : zip_equal(function.inputs, inputs))
      os << comma << "::weir::input<" << in << "::" << name << "> "
         << tensor.argument;
    for (auto [tensor, name] : zip_equal(function.outputs, outputs))
      os << comma << "::weir::output<" << out << "::" << name << "> "
         << tensor.argument;
  }

  void function(const FunctionInterface &function) {
    bool isRun = model.isRun(function);
    StringRef own = StringRef(function.c).drop_front(model.prefix.size() + 1);
    std::string method = memberName(isRun ? "run" : own);
    std::string of = isRun ? "" : method + (method.back() == '_' ? "" : "_");
    std::string in = memberName(of + "inputs"),
                out = memberName(of + "outputs");
    os << "\n  // " << forComment(function.name) << '\n';
    std::vector<std::string> inputs = tensors(function.inputs, in),
                             outputs = tensors(function.outputs, out);
    os << "  ::weir::result<void> " << method << '(';
    std::string handle = "static_cast<::" + model.prefix + "_ctx *>(context())";
    if (function.takesList()) {
      os << "::weir::span<void *const, " << function.numTensors()
         << "> tensors) noexcept {\n    return answer_(::" << function.c << '('
         << handle << ", tensors.data()));\n  }\n";
      return;
    }
    parameters(function, inputs, outputs, in, out);
    os << ") noexcept {\n";
    std::string arguments, data;
    for (auto *list : {&function.inputs, &function.outputs})
      for (const TensorInterface &tensor : *list) {
        arguments += (arguments.empty() ? "" : ", ") + tensor.argument;
        data += ", " + tensor.argument + ".data()";
      }
    if (!arguments.empty())
      os << "    if (::weir::error wrong_ = check_sizes_(" << arguments
         << "); wrong_.status())\n      return wrong_;\n";
    os << "    return answer_(::" << function.c << '(' << handle << data
       << "));\n  }\n";
  }

  /// Accessors return the elements of a variable as a span.
  void variable(const VariableInterface &variable) {
    StringRef own = StringRef(variable.c).drop_front(model.prefix.size() + 1);
    StringRef type = cType(variable.dtype);
    std::string call = "::" + variable.c + "(static_cast<::" + model.prefix +
                       "_ctx *>(context()))";
    os << "  // " << forComment(variable.name)
       << (model.gpu ? ", in the memory of the GPU" : "") << '\n';
    if (model.gpu)
      os << "  " << type << " *" << memberName(own) << "() noexcept { return "
         << call << "; }\n";
    else
      os << "  ::weir::span<" << type << ", " << variable.elements << "> "
         << memberName(own) << "() noexcept {\n    return ::weir::span<" << type
         << ", " << variable.elements << ">(" << call << ");\n  }\n";
  }

  void write() {
    for (StringRef reserved : modelMembers)
      members.insert({reserved, 2});
    members.insert({name, 2});
    os << "class " << name << " : public ::weir::model {\npublic:\n"
       << "  static ::weir::result<" << name
       << "> create(const ::weir::config &options = {}) noexcept {\n    "
       << name << " made;\n"
       << "    if (::weir::error error = made.open_(*::" << model.prefix
       << "_info(), options); error.status())\n      return error;\n"
       << "    return made;\n  }\n";
    for (const FunctionInterface &each : model.functions)
      if (!each.isInit)
        function(each);
    if (!model.variables.empty())
      os << '\n';
    for (const VariableInterface &each : model.variables)
      variable(each);
    os << "\nprivate:\n  " << name << "() noexcept = default;\n};\n";
  }
};

} // namespace

bool isCppHeader(StringRef path) {
  return StringSwitch<bool>(sys::path::extension(path))
      .Cases(".hpp", ".hh", ".hxx", true)
      .Default(false);
}

void writeCppInterface(raw_ostream &os, const ModelInterface &model,
                       StringRef qualifiedName) {
  os << '\n';
  for (StringRef header : cppHeaders())
    os << header << '\n';
  std::string byDefault = model.prefix + "::model";
  QualifiedName name =
      qualified(qualifiedName.empty() ? StringRef(byDefault) : qualifiedName);
  for (const std::string &space : name.spaces)
    os << "namespace " << space << " {\n";
  Writer{os, model, name.name}.write();
  for (size_t i = 0; i < name.spaces.size(); ++i)
    os << "} // namespace\n";
}

} // namespace weir
