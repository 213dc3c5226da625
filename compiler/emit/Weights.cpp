// The bytes of the weights, streamed from attributes to files. They never pass
// through LLVM IR, where a constant of 100 MB costs seconds and 400 MB.

#include "compiler/emit/Weights.h"

#include "compiler/emit/Names.h"
#include "dialects/weir/Attributes.h"
#include "dialects/weir/ElementBytes.h"

#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_sha1_ostream.h"

using namespace mlir;
using llvm::Error;

namespace weir {
namespace {

constexpr size_t chunkBytes = 1 << 16;

Error bad(const llvm::Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

/// Passes bytes on and counts them.
struct Sink {
  llvm::raw_ostream &os;
  uint64_t written = 0;

  void write(ArrayRef<char> bytes) {
    os.write(bytes.data(), bytes.size());
    written += bytes.size();
  }

  void zeros(uint64_t count) {
    static const char zero[4096] = {};
    for (; count; count -= std::min<uint64_t>(count, sizeof zero))
      write({zero, size_t(std::min<uint64_t>(count, sizeof zero))});
  }

  void repeat(ArrayRef<char> element, uint64_t count) {
    SmallVector<char, 0> buffer;
    uint64_t inBuffer = std::min<uint64_t>(count, chunkBytes / element.size());
    for (uint64_t i = 0; i < inBuffer; ++i)
      buffer.append(element.begin(), element.end());
    for (; count; count -= std::min(count, inBuffer))
      write(ArrayRef<char>(buffer).take_front(std::min(count, inBuffer) *
                                              element.size()));
  }
};

Error streamBlob(ElementsAttr elements, Sink &sink) {
  std::optional<ElementBytes> bytes = ElementBytes::of(elements);
  if (!bytes)
    return bad(attrs::weights.name() +
               " has a constant without the bytes of its type");
  if (bytes->isSplat())
    sink.repeat(bytes->data(), elements.getNumElements());
  else
    sink.write(bytes->data());
  return Error::success();
}

} // namespace

uint64_t layoutHash(ArrayRef<ModuleOp> isaVariants,
                    const ModelInterface &model) {
  llvm::raw_sha1_ostream print;
  print << model.weightsBytes << '\n';
  for (const WeightBlob &blob : model.weights)
    print << blob.offset << ' ' << blob.elements.getType() << '\n';
  // Constants in the code are weights as well, and the code says in which order
  // it reads a blob. The names of files are attributes of the modules.
  for (ModuleOp isaVariant : isaVariants) {
    AsmState state(isaVariant, OpPrintingFlags().assumeVerified());
    for (Operation &op : *isaVariant.getBody()) {
      op.print(print, state);
      print << '\n';
    }
  }
  for (const GpuImage &image : model.images)
    print << image.data << '\n';
  return llvm::support::endian::read64le(print.sha1().data());
}

Error streamWeights(const ModelInterface &model, llvm::raw_ostream &os) {
  Sink sink{os};
  for (const WeightBlob &blob : model.weights) {
    sink.zeros(blob.offset - sink.written);
    if (Error error = streamBlob(blob.elements, sink))
      return error;
  }
  sink.zeros(model.weightsBytes - sink.written);
  return Error::success();
}

Error writeWeightsFile(const ModelInterface &model, llvm::raw_ostream &os,
                       uint64_t hash) {
  using namespace llvm::support;
  SmallVector<char, 64> header(64, 0);
  memcpy(header.data(), "weirwts1", 8);
  endian::write64le(header.data() + 8, model.weightsBytes);
  endian::write64le(header.data() + 16, hash);
  os.write(header.data(), header.size());
  return streamWeights(model, os);
}

llvm::Constant *addWeightsSlot(llvm::Module &module, uint64_t bytes) {
  using llvm::GlobalVariable;
  llvm::LLVMContext &context = module.getContext();
  auto *type = llvm::ArrayType::get(llvm::Type::getInt8Ty(context), 64);
  auto *weights =
      new GlobalVariable(module, type, true, GlobalVariable::InternalLinkage,
                         llvm::Constant::getNullValue(type), globals::weights);
  weights->setSection(
      weightsSection(bytes, llvm::Triple(module.getTargetTriple())));
  weights->setAlignment(llvm::Align(64));
  weights->setExternallyInitialized(true);
  auto *slot = new GlobalVariable(module, llvm::PointerType::get(context, 0),
                                  true, GlobalVariable::InternalLinkage,
                                  weights, globals::weightsSlot);
  slot->setExternallyInitialized(true);
  return slot;
}

Error placeWeights(SmallVectorImpl<char> &object, uint64_t bytes,
                   const llvm::Triple &triple) {
  using ElfFile = llvm::object::ELF64LEFile;
  object.resize(llvm::alignTo(object.size(), 64));
  auto elf = ElfFile::create(StringRef(object.data(), object.size()));
  if (!elf)
    return elf.takeError();
  auto sections = elf->sections();
  if (!sections)
    return sections.takeError();
  for (const auto &section : *sections) {
    auto name = elf->getSectionName(section);
    if (!name)
      return name.takeError();
    if (*name != weightsSection(bytes, triple))
      continue;
    auto &header = const_cast<ElfFile::Elf_Shdr &>(section);
    header.sh_offset = object.size();
    header.sh_size = bytes;
    if (largeWeights(bytes, triple))
      header.sh_flags = header.sh_flags | llvm::ELF::SHF_X86_64_LARGE;
    return Error::success();
  }
  return bad("the object has no section for the weights");
}

void releaseWeights(ModelInterface &model) {
  for (WeightBlob &blob : model.weights)
    if (auto resource = dyn_cast<DenseResourceElementsAttr>(blob.elements))
      if (AsmResourceBlob *data = resource.getRawHandle().getBlob())
        *data = AsmResourceBlob();
}

} // namespace weir
