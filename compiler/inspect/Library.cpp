// What a shared library of weir's says of itself: the table that its NAME_info
// gives. The library is loaded, so it must be one that may run here.

#include "compiler/inspect/DynamicDims.h"
#include "compiler/inspect/Inspect.h"

#include "runtime/weir.h"

// Behind what it builds on.
#include "runtime/comm/info.h"
#include "runtime/cuda/info.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/BinaryFormat/Magic.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/Triple.h"
#include <dlfcn.h>

using namespace llvm;

namespace weir {

static Error failed(const Twine &why) {
  return createStringError(inconvertibleErrorCode(), why);
}

/// The name of the exported `NAME_info`, beside which there are `NAME_create`
/// and `NAME_status_text`: libraries of others have functions that end in
/// `_info`, too.
static Expected<std::string> findInfo(StringRef path) {
  Expected<object::OwningBinary<object::ObjectFile>> file =
      object::ObjectFile::createObjectFile(path);
  if (!file)
    return file.takeError();
  auto *elf = dyn_cast<object::ELFObjectFileBase>(file->getBinary());
  if (!elf)
    return failed("it is no ELF file");
  SmallVector<StringRef> infos;
  StringSet<> exported;
  for (const object::ELFSymbolRef &symbol : elf->getDynamicSymbolIterators()) {
    Expected<StringRef> name = symbol.getName();
    if (!name)
      return name.takeError();
    Expected<uint32_t> flags = symbol.getFlags();
    if (!flags)
      return flags.takeError();
    if (*flags & object::SymbolRef::SF_Undefined)
      continue;
    exported.insert(*name);
    if (name->ends_with("_info"))
      infos.push_back(*name);
  }
  for (StringRef info : infos) {
    std::string prefix = info.drop_back(4).str();
    if (exported.contains(prefix + "create") &&
        exported.contains(prefix + "status_text"))
      return info.str();
  }
  return failed("weir did not compile it");
}

static StringRef nameOf(weir_dtype type) {
  switch (type) {
  case WEIR_F16:
    return "f16";
  case WEIR_BF16:
    return "bf16";
  case WEIR_F32:
    return "f32";
  case WEIR_F64:
    return "f64";
  case WEIR_BOOL:
    return "i1";
  case WEIR_I8:
    return "i8";
  case WEIR_I16:
    return "i16";
  case WEIR_I32:
    return "i32";
  case WEIR_I64:
    return "i64";
  case WEIR_U8:
    return "ui8";
  case WEIR_U16:
    return "ui16";
  case WEIR_U32:
    return "ui32";
  case WEIR_U64:
    return "ui64";
  }
  return "unknown";
}

/// Sizes that only a run knows, where `least` is given, are the most.
static std::string typeOf(weir_dtype dtype, ArrayRef<int64_t> shape,
                          const int64_t *least = nullptr) {
  std::string type = "tensor<";
  for (auto [i, size] : enumerate(shape))
    type +=
        (least && least[i] != size ? "<=" : "") + std::to_string(size) + "x";
  return type + nameOf(dtype).str() + ">";
}

static DynamicShape dynamicShape(const weir_tensor_info &tensor) {
  DynamicShape shape;
  shape.least.assign(tensor.least, tensor.least + tensor.rank);
  shape.most.assign(tensor.shape, tensor.shape + tensor.rank);
  shape.names.assign(tensor.dims, tensor.dims + tensor.rank);
  shape.element = nameOf(tensor.dtype).str();
  return shape;
}

static json::Array tensorsOf(const weir_tensor_info *tensors, uint32_t count,
                             json::Array &open) {
  json::Array list;
  for (const weir_tensor_info &tensor : ArrayRef(tensors, count)) {
    json::Object object{
        {"name", json::fixUTF8(tensor.name)},
        {"tensor", json::fixUTF8(tensor.tensor)},
        {"type", typeOf(tensor.dtype, ArrayRef(tensor.shape, tensor.rank),
                        tensor.least)}};
    if (tensor.shape_tensor >= 0)
      describeDynamic(object, open, dynamicShape(tensor));
    if (tensor.num_strings) {
      json::Array strings;
      for (int64_t i = 0; i < tensor.num_strings; ++i)
        strings.push_back(json::fixUTF8(tensor.strings[i]));
      object["strings"] = std::move(strings);
    }
    list.push_back(std::move(object));
  }
  return list;
}

static json::Array variablesOf(const weir_model_info &info) {
  json::Array list;
  for (const weir_variable_info &variable :
       ArrayRef(info.variables, info.num_variables))
    list.push_back(
        json::Object{{"name", json::fixUTF8(variable.name)},
                     {"key", json::fixUTF8(variable.key)},
                     {"type", typeOf(variable.dtype,
                                     ArrayRef(variable.shape, variable.rank))},
                     {"bytes", static_cast<int64_t>(variable.bytes)},
                     {"offset", static_cast<int64_t>(variable.offset)}});
  return list;
}

/// What a library for a GPU has beside.
static json::Object describe(const weir_gpu_info &gpu) {
  json::Array images, kernels;
  for (const weir_gpu_image &image : ArrayRef(gpu.images, gpu.num_images))
    images.push_back(json::Object{
        {"kind", image.kind == WEIR_GPU_CUBIN ? "cubin" : "ptx"},
        {"sm", std::to_string(image.sm) + (image.specific ? "a" : "")},
        {"bytes", static_cast<int64_t>(image.bytes)}});
  for (const weir_gpu_kernel &kernel : ArrayRef(gpu.kernels, gpu.num_kernels))
    kernels.push_back(json::Object{
        {"name", json::fixUTF8(kernel.name)},
        {"shared_bytes", static_cast<int64_t>(kernel.shared_bytes)}});
  return json::Object{{"images", std::move(images)},
                      {"kernels", std::move(kernels)}};
}

/// The names of the axes of these bits.
static json::Array axesOf(const weir_mesh_info &mesh, uint32_t bits) {
  json::Array axes;
  for (uint32_t i = 0; i < mesh.num_axes; ++i)
    if (bits >> i & 1)
      axes.push_back(json::fixUTF8(mesh.axes[i]));
  return axes;
}

/// What a rank does, in order; into `collectives` goes the share of the
/// function's estimated work before each start and each wait.
static json::Array scheduleOf(const weir_mesh_info &mesh,
                              const weir_model_info &info,
                              json::Array &collectives) {
  constexpr StringLiteral kinds[] = {"compute", "start", "progress", "wait"};
  ArrayRef<weir_schedule_item> items(mesh.schedule, mesh.num_items);
  std::vector<double> all(info.num_functions), done(info.num_functions);
  for (const weir_schedule_item &item : items)
    all[item.function] += static_cast<double>(item.nanoseconds);
  json::Array list;
  for (const weir_schedule_item &item : items) {
    json::Object object{
        {"function", json::fixUTF8(info.functions[item.function].name)},
        {"kind", kinds[item.kind]}};
    double &before = done[item.function];
    if (item.kind == WEIR_COMPUTE) {
      before += static_cast<double>(item.nanoseconds);
      object["tasks"] = static_cast<int64_t>(item.tasks);
      object["estimated_ns"] = static_cast<int64_t>(item.nanoseconds);
      object["multiply_adds"] = static_cast<int64_t>(item.multiply_adds);
      object["bytes"] = static_cast<int64_t>(item.bytes);
    } else if (item.kind != WEIR_PROGRESS) {
      object["collective"] = static_cast<int64_t>(item.collective);
      double share = all[item.function] ? before / all[item.function] : 0;
      (*collectives[item.collective]
            .getAsObject())[item.kind == WEIR_START ? "starts_after"
                                                    : "waits_after"] = share;
    }
    list.push_back(std::move(object));
  }
  return list;
}

/// The ranks of a library of --mesh.
static json::Object describe(const weir_mesh_info &mesh,
                             const weir_model_info &info) {
  constexpr StringLiteral kinds[] = {
      "all_reduce", "all_gather", "own_part", "send", "recv", "reduce_scatter"};
  json::Array axes, collectives;
  for (uint32_t i = 0; i < mesh.num_axes; ++i)
    axes.push_back(
        json::Object{{"name", json::fixUTF8(mesh.axes[i])},
                     {"ranks", static_cast<int64_t>(mesh.sizes[i])}});
  for (const weir_collective_info &each :
       ArrayRef(mesh.collectives, mesh.num_collectives)) {
    collectives.push_back(json::Object{
        {"function", json::fixUTF8(info.functions[each.function].name)},
        {"kind", kinds[each.kind]},
        {"node", json::fixUTF8(each.node)},
        {"axes", axesOf(mesh, each.axes)},
        {"bytes", static_cast<int64_t>(each.bytes)}});
  }
  json::Object variables;
  for (uint32_t i = 0; i < info.num_variables; ++i)
    if (const uint32_t *bits = mesh.variables[i]) {
      json::Array dims;
      for (int32_t d = 0; d < info.variables[i].rank; ++d)
        dims.push_back(axesOf(mesh, bits[d]));
      variables[json::fixUTF8(info.variables[i].name)] = std::move(dims);
    }
  json::Array schedule = scheduleOf(mesh, info, collectives);
  json::Object object{
      {"ranks", static_cast<int64_t>(mesh.ranks)},
      {"axes", std::move(axes)},
      {"weights_bytes", static_cast<int64_t>(mesh.weights_bytes)},
      {"divided_variables", std::move(variables)},
      {"collectives", std::move(collectives)},
      {"schedule", std::move(schedule)}};
  // Of a cluster: which of its tasks run the library.
  if (mesh.role) {
    object["role"] = json::fixUTF8(mesh.role);
    object["first_rank"] = static_cast<int64_t>(mesh.first);
  }
  return object;
}

static json::Object describe(const weir_model_info &info,
                             const weir_gpu_info *gpu,
                             const weir_mesh_info *mesh) {
  json::Array signatures;
  for (const weir_function_info &function :
       ArrayRef(info.functions, info.num_functions)) {
    json::Array open;
    json::Object signature{
        {"name", json::fixUTF8(function.name)},
        {"symbol", json::fixUTF8(function.symbol)},
        {"inputs", tensorsOf(function.inputs, function.num_inputs, open)},
        {"outputs", tensorsOf(function.outputs, function.num_outputs, open)}};
    if (!open.empty())
      signature["open"] = std::move(open);
    signatures.push_back(std::move(signature));
  }
  json::Object plan{
      {"arena_bytes", static_cast<int64_t>(info.arena_bytes)},
      {"max_live_bytes", static_cast<int64_t>(info.max_live_bytes)},
      {"weights_bytes", static_cast<int64_t>(info.weights_bytes)},
      {"state_bytes", static_cast<int64_t>(info.state_bytes)},
      {"context_bytes", static_cast<int64_t>(info.context_bytes)}};
  json::Object description{{"kind", "library"},
                           {"prefix", json::fixUTF8(info.prefix)},
                           {"source", json::fixUTF8(info.source)},
                           {"target", json::fixUTF8(info.target)},
                           {"compiler", json::fixUTF8(info.compiler)},
                           {"threads", static_cast<int64_t>(info.threads)},
                           {"signatures", std::move(signatures)},
                           {"variables", variablesOf(info)},
                           {"plan", std::move(plan)}};
  json::Array levels;
  for (const char *level : ArrayRef(info.levels, info.num_levels))
    levels.push_back(json::fixUTF8(level));
  description["levels"] = std::move(levels);
  if (gpu) {
    description["gpu"] = describe(*gpu);
    json::Array *its = description.getArray("signatures");
    for (auto [i, signature] : enumerate(*its))
      (*signature.getAsObject())["one_graph"] =
          (gpu->flags[i] & WEIR_GPU_CAPTURABLE) != 0;
  }
  if (mesh)
    description["mesh"] = describe(*mesh, info);
  if (info.weights_file)
    description["weights_file"] = json::fixUTF8(info.weights_file);
  return description;
}

static Triple::ArchType hostArchitecture() {
  return Triple(sys::getProcessTriple()).getArch();
}

/// The architecture of an object that the loader would not find; else empty.
static std::string foreignArchitecture(StringRef path) {
  Expected<object::OwningBinary<object::ObjectFile>> file =
      object::ObjectFile::createObjectFile(path);
  if (!file) {
    consumeError(file.takeError());
    return "";
  }
  Triple::ArchType arch = file->getBinary()->getArch();
  return arch == hostArchitecture() ? "" : Triple::getArchTypeName(arch).str();
}

Expected<json::Object> describeLibrary(StringRef path) {
  file_magic magic;
  if (!identify_magic(path, magic) &&
      (magic == file_magic::archive || magic == file_magic::elf_relocatable))
    return failed("only what is linked can be asked; give the shared library "
                  "(.so) of the model");
  if (std::string foreign = foreignArchitecture(path); !foreign.empty())
    return failed(
        "is for " + foreign +
        "; a library is loaded to be described, and this machine is " +
        Triple::getArchTypeName(hostArchitecture()));
  Expected<std::string> name = findInfo(path);
  if (!name)
    return name.takeError();
  // A path without a slash would be searched for elsewhere.
  std::string file = path.contains('/') ? path.str() : "./" + path.str();
  void *library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return failed(dlerror());
  using Info = const weir_model_info *(*)();
  auto give = reinterpret_cast<Info>(dlsym(library, name->c_str()));
  const weir_model_info *info = give ? give() : nullptr;
  auto find = [&](StringRef what) {
    return dlsym(library, (StringRef(*name).drop_back(4) + what).str().c_str());
  };
  using Gpu = const weir_gpu_info *(*)();
  auto giveGpu = reinterpret_cast<Gpu>(find("gpu"));
  using Mesh = const weir_mesh_info *(*)();
  auto giveMesh = reinterpret_cast<Mesh>(find("mesh"));
  Expected<json::Object> result = failed("its table cannot be read");
  if (info && info->abi_version == WEIR_ABI_VERSION) {
    consumeError(result.takeError());
    result = describe(*info, giveGpu ? giveGpu() : nullptr,
                      giveMesh ? giveMesh() : nullptr);
  }
  dlclose(library);
  return result;
}

} // namespace weir
