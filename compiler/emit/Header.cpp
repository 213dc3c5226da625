// The C header of a model.

#include "compiler/emit/Header.h"
#include "compiler/emit/Names.h"
#include "compiler/emit/Object.h"

using namespace llvm;

namespace weir {
namespace {

/// `batch`, or `x.0` of a dimension without a name.
std::string dimName(const TensorInterface &tensor, size_t dim) {
  return tensor.dims[dim].empty() ? tensor.name + "." + std::to_string(dim)
                                  : tensor.dims[dim];
}

/// `2x3xf32`, or `batch x 3 x f32` with a dynamic dimension.
std::string shapeText(const TensorInterface &tensor) {
  StringRef by = tensor.shapeTensor >= 0 ? " x " : "x";
  std::string text;
  for (auto [i, dim] : enumerate(tensor.type.getShape()))
    text += (tensor.isDynamic(i) ? forComment(dimName(tensor, i))
                                 : std::to_string(dim)) +
            by.str();
  return text + StringRef(cEnumerator(tensor.dtype)).drop_front(5).lower();
}

/// The ranges of dynamic dimensions, and the arguments that hold the sizes.
void dynamicDims(raw_ostream &os, const FunctionInterface &function) {
  std::vector<std::string> seen;
  std::string ranges, shapes;
  for (auto *tensors : {&function.inputs, &function.outputs})
    for (const TensorInterface &tensor : *tensors) {
      if (tensor.shapeTensor >= 0)
        shapes += "\n *   " + (*tensors)[tensor.shapeTensor].argument +
                  ": of " + tensor.argument +
                  (tensors == &function.inputs ? ", to give" : ", a result");
      for (size_t i = 0; i < tensor.least.size(); ++i) {
        std::string name =
            tensor.isDynamic(i) ? forComment(dimName(tensor, i)) : "";
        if (name.empty() || is_contained(seen, name))
          continue;
        seen.push_back(name);
        ranges += "\n *   " + name + ": " + std::to_string(tensor.least[i]) +
                  " to " + std::to_string(tensor.type.getDimSize(i));
      }
    }
  if (shapes.empty())
    return;
  if (!ranges.empty())
    os << "\n * Sizes that each run chooses or finds:" << ranges;
  os << "\n * Arguments that hold sizes, one number a dimension:" << shapes
     << "\n * Elements lie without gaps; the memory has room for the largest "
        "sizes, which\n * the macros are of.\n";
}

void signature(raw_ostream &os, const FunctionInterface &function) {
  auto list = [&](const std::vector<TensorInterface> &tensors) {
    os << '(';
    ListSeparator comma;
    for (const TensorInterface &tensor : tensors)
      os << comma << forComment(tensor.name) << ": " << shapeText(tensor);
    os << ')';
  };
  os << "/* " << forComment(function.name) << ": ";
  list(function.inputs);
  os << " -> ";
  list(function.outputs);
  dynamicDims(os, function);
  os << " */\n";
}

void macros(raw_ostream &os, const TensorInterface &tensor) {
  os << "#define " << tensor.macro << "_BYTES " << tensor.bytes << "u\n";
  os << "#define " << tensor.macro << "_ELEMENTS " << tensor.elements << "u\n";
  os << "#define " << tensor.macro << "_RANK " << tensor.type.getRank() << '\n';
  for (int64_t i = 0; i < tensor.type.getRank(); ++i)
    os << "#define " << tensor.macro << "_DIM" << i << ' '
       << tensor.type.getDimSize(i) << '\n';
}

void prototype(raw_ostream &os, const ModelInterface &model,
               const FunctionInterface &function, StringRef name,
               bool device = false) {
  StringRef stream = device ? ", void *stream" : "";
  os << "weir_status " << name << '(' << model.prefix << "_ctx *context";
  if (function.takesList()) {
    os << ",\n    void *const *tensors" << stream << "); /* "
       << function.inputs.size() << " inputs, then " << function.outputs.size()
       << " outputs */\n";
    return;
  }
  for (const TensorInterface &input : function.inputs)
    os << ", const " << cType(input.dtype) << " *" << input.argument;
  for (const TensorInterface &output : function.outputs)
    os << ", " << cType(output.dtype) << " *" << output.argument;
  os << stream << ");\n";
}

/// What a model for a GPU has beside.
void gpu(raw_ostream &os, const ModelInterface &model) {
  const std::string &n = model.prefix;
  os << "/* The same on tensors in the memory of the context's GPU. `stream` "
        "is "
        "a CUDA\n * stream, or null; what has been issued there before comes "
        "first, and the\n * function returns before the work is done. "
     << n
     << "_wait returns when it is, with\n * what the last run came to. */\n";
  for (const FunctionInterface &function : model.functions) {
    prototype(os, model, function, function.device, /*device=*/true);
    if (model.plainRun)
      prototype(os, model, function, n + "_run_device", /*device=*/true);
  }
  os << "weir_status " << n << "_wait(" << n << "_ctx *context);\n"
     << "const weir_gpu_info *" << n << "_gpu(void);\n\n";
}

void state(raw_ostream &os, const ModelInterface &model) {
  const std::string &n = model.prefix;
  os << "/* Checkpoints of the variables, as TensorFlow writes them: PATH"
     << ".index and\n * PATH.data-00000-of-00001. A save that is cut off "
        "leaves "
        "the one before whole; a\n * checkpoint that is refused changes "
        "nothing. */\n"
     << "weir_status " << n << "_save(" << n
     << "_ctx *context, const char *path);\n"
     << "weir_status " << n << "_restore(" << n
     << "_ctx *context, const char *path);\n\n";
  os << "/* Where the variables lie"
     << (model.gpu ? ": in the GPU's memory" : "") << ". */\n";
  for (const VariableInterface &variable : model.variables) {
    std::string shape;
    for (int64_t dim : variable.type.getShape())
      shape += std::to_string(dim) + "x";
    os << cType(variable.dtype) << " *" << variable.c << '(' << n
       << "_ctx *context); /* " << forComment(variable.name) << ": " << shape
       << StringRef(cEnumerator(variable.dtype)).drop_front(5).lower()
       << " */\n"
       << "#define " << variable.macro << "_ELEMENTS " << variable.elements
       << "u\n";
  }
  os << '\n';
}

/// What a model of --profile has beside.
void profile(raw_ostream &os, const ModelInterface &model) {
  os << "/* The calls and the time of each task of a run, and traces. */\n"
     << "const weir_profile_info *" << model.prefix << "_profile(void);\n\n";
}

} // namespace

void writeHeader(raw_ostream &os, const ModelInterface &model,
                 StringRef weightsFile, uint64_t contextBytes,
                 StringRef cppClass, bool isCpp) {
  const std::string &n = model.prefix, &m = model.macro;
  os << "/* Written by weir 0.1.0 from " << forComment(model.source) << ".\n * "
     << "Target: " << forComment(model.target) << ".\n * Arena "
     << model.arenaBytes << " bytes (no plan could stay below "
     << model.maxLiveBytes << "), weights " << model.weightsBytes << " bytes";
  if (!weightsFile.empty())
    os << " in " << forComment(weightsFile);
  if (model.stateBytes)
    os << ", state " << model.stateBytes << " bytes";
  os << ". */\n";
  // A program may include both.
  StringRef guard = isCpp ? "_HPP" : "_H";
  os << "#ifndef WEIR_MODEL_" << m << guard << "\n#define WEIR_MODEL_" << m
     << guard << "\n\n";
  os << runtimeHeader() << '\n';
  if (model.gpu)
    os << gpuHeader() << '\n';
  if (model.profile)
    os << profileHeader() << '\n';
  if (model.mesh)
    os << meshHeader() << '\n';
  os << "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n";
  os << "#define " << m << "_ABI_VERSION " << WEIR_ABI_VERSION << "u\n";
  os << "#define " << m << "_ARENA_BYTES " << model.arenaBytes << "u\n";
  os << "#define " << m << "_MAX_LIVE_BYTES " << model.maxLiveBytes << "u\n";
  os << "#define " << m << "_WEIGHTS_BYTES " << model.weightsBytes << "u\n";
  if (model.stateBytes)
    os << "#define " << m << "_STATE_BYTES " << model.stateBytes << "u\n";
  os << "#define " << m << "_CTX_BYTES " << contextBytes << "u\n";
  os << "#define " << m << "_ALIGN 64u\n\n";

  os << "typedef struct " << n << "_ctx " << n << "_ctx;\n\n"
     << "/* A context runs one call at a time; contexts are independent and "
        "share the\n * weights. `memory` is "
     << m << "_CTX_BYTES aligned to " << m
     << "_ALIGN, or null: of the\n * heap. `config` may be null. Nothing "
        "is allocated until destroy. */\n"
     << "weir_status " << n << "_create(void *memory, const weir_config "
     << "*config, " << n << "_ctx **out);\n"
     << "void " << n << "_destroy(" << n << "_ctx *context);\n\n";
  for (const FunctionInterface &function : model.functions) {
    signature(os, function);
    for (const TensorInterface &tensor : function.inputs)
      macros(os, tensor);
    for (const TensorInterface &tensor : function.outputs)
      macros(os, tensor);
    prototype(os, model, function, function.c);
    if (model.isRun(function))
      prototype(os, model, function, n + "_run");
    os << '\n';
  }
  if (model.gpu)
    gpu(os, model);
  if (!model.variables.empty())
    state(os, model);
  if (model.profile)
    profile(os, model);
  if (model.mesh)
    os << "/* " << model.mesh->ranks() << " ranks run the model together ("
       << forComment(model.mesh->text()) << "). */\nconst weir_mesh_info *" << n
       << "_mesh(void);\n\n";
  os << "/* What the last failing call meant: names the tensor or node. */\n"
     << "const char *" << n << "_last_error(const " << n << "_ctx *context);\n"
     << "const char *" << n << "_status_text(weir_status status);\n"
     << "const weir_model_info *" << n << "_info(void);\n\n"
     << "#ifdef __cplusplus\n}\n#endif\n";
  if (isCpp)
    writeCppInterface(os, model, cppClass);
  else if (!cppClass.empty())
    writeClass(os, model, cppClass);
  os << "\n#endif\n";
}

} // namespace weir
