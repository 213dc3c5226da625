// The way out: each product from the same object, all files whole or absent.

#include "compiler/emit/Emit.h"
#include "compiler/emit/Header.h"
#include "compiler/emit/Library.h"
#include "compiler/emit/Object.h"
#include "compiler/emit/Output.h"
#include "compiler/emit/Weights.h"
#include "compiler/emit/codegen/KernelSymbols.h"
#include "compiler/emit/codegen/Parts.h"
#include "compiler/emit/lines/KernelLines.h"

#include "dialects/weir/Records.h"

#include "llvm/Support/Path.h"

using namespace llvm;

namespace weir {
namespace {

/// libnet.so and net.o are both `net`.
std::string prefixOf(StringRef output) {
  StringRef name = sys::path::stem(output);
  name.consume_front("lib");
  return name.empty() ? "model" : name.str();
}

struct Emitter {
  ArrayRef<mlir::ModuleOp> isaVariants;
  const EmitOptions &options;
  std::vector<OutputFile> &files;
  mlir::ModuleOp module = isaVariants.front();
  ModelInterface model = {};
  TableOptions tables = {};

  Error weightsFile() {
    std::string path = weightsPath(options);
    tables.weightsFile = sys::path::filename(path).str();
    tables.weightsHash = layoutHash(isaVariants, model);
    auto file = OutputFile::create(path);
    if (!file)
      return file.takeError();
    if (Error error = file->write([&](raw_fd_ostream &os) {
          return writeWeightsFile(model, os, tables.weightsHash);
        }))
      return error;
    files.push_back(std::move(*file));
    return Error::success();
  }

  Error header(uint64_t contextBytes) {
    auto file = OutputFile::create(options.header);
    if (!file)
      return file.takeError();
    if (Error error = file->write([&](raw_fd_ostream &os) {
          writeHeader(os, model, tables.weightsFile, contextBytes,
                      options.cppClass, isCppHeader(options.header));
          return Error::success();
        }))
      return error;
    files.push_back(std::move(*file));
    return Error::success();
  }

  Error writeObject(OutputFile &file, SmallVectorImpl<char> &code) {
    bool embedded = model.weightsBytes && tables.weightsFile.empty();
    if (embedded)
      if (Error error =
              placeWeights(code, model.weightsBytes,
                           Triple(TargetAttr::of(module).getTriple())))
        return error;
    return file.write([&](raw_fd_ostream &os) -> Error {
      os.write(code.data(), code.size());
      return embedded ? streamWeights(model, os) : Error::success();
    });
  }

  Error library(OutputFile &to, NativeModule &native) {
    SmallVector<char, 0> code;
    if (Error error = compileObject(native, options.output, code))
      return error;
    bool needsMath;
    if (options.product != Product::Executable)
      if (Error error = checkUndefined(code, options.customSymbols, needsMath))
        return error;
    if (options.product == Product::Object)
      return writeObject(to, code);
    auto object = OutputFile::create(options.output + ".o");
    if (!object)
      return object.takeError();
    if (Error error = writeObject(*object, code))
      return error;
    if (options.releaseWeights)
      releaseWeights(model);
    if (options.product == Product::Static)
      return writeArchive(to, object->temporary(), model.prefix + ".o");
    if (options.product == Product::Executable)
      return linkExecutable(to, object->temporary(), options.customObjects);
    return linkShared(to, object->temporary(), options.customObjects,
                      TargetAttr::of(module).getTriple(), needsMath);
  }

  Error text(NativeModule &native) {
    if (Error error = optimizeModule(native))
      return error;
    SmallVector<char, 0> assembly;
    if (options.product == Product::Asm)
      if (Error error =
              generateAssembly(*native.module, *native.machine, assembly))
        return error;
    return writeText(options.output, files, [&](raw_ostream &os) {
      if (options.product == Product::Asm)
        os.write(assembly.data(), assembly.size());
      else
        native.module->print(os, nullptr);
    });
  }

  Error run() {
    if (options.product == Product::Mlir)
      return writeText(options.output, files, [&](raw_ostream &os) {
        for (mlir::ModuleOp isaVariant : isaVariants) {
          isaVariant->print(os, mlir::OpPrintingFlags().enableDebugInfo());
          os << '\n';
        }
      });
    auto interface =
        readInterface(module, options.prefix.empty() ? prefixOf(options.output)
                                                     : options.prefix);
    if (!interface)
      return interface.takeError();
    model = std::move(*interface);
    if (options.product == Product::Ptx)
      return writeText(options.output, files, [&](raw_ostream &os) {
        for (const GpuImage &image : model.images)
          if (!image.cubin)
            os << image.data;
      });
    // A place that cannot be written to is found before the work is done.
    std::optional<OutputFile> product;
    if (!isText(options.product)) {
      auto file = OutputFile::create(options.output);
      if (!file)
        return file.takeError();
      product.emplace(std::move(*file));
    }
    if (options.weightsFile && model.weightsBytes)
      if (Error error = weightsFile())
        return error;
    if (!options.kernelTexts.empty())
      for (auto [i, isaVariant] : enumerate(isaVariants))
        addScopes(isaVariant, options, i);
    auto native = buildNative(
        isaVariants, model, tables, options.optLevel,
        options.product == Product::Executable ? Extra::Main : Extra::None);
    if (!native)
      return native.takeError();
    native->progress = options.progress;
    if (options.debugNames)
      nameKernels(*native, isaVariants);
    if (!options.header.empty())
      if (Error error = header(native->contextBytes))
        return error;
    if (Error error = product ? library(*product, *native) : text(*native))
      return error;
    if (product)
      files.push_back(std::move(*product));
    return Error::success();
  }
};

} // namespace

Error emit(ArrayRef<mlir::ModuleOp> isaVariants, const EmitOptions &options,
           std::vector<OutputFile> &files) {
  return Emitter{isaVariants, options, files}.run();
}

} // namespace weir
