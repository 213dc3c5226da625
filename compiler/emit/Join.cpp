// One object of the objects of a large model's parts.

#include "compiler/emit/Library.h"

#include "llvm/ObjCopy/CommonConfig.h"
#include "llvm/ObjCopy/ELF/ELFConfig.h"
#include "llvm/ObjCopy/ELF/ELFObjcopy.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace llvm;

namespace weir {

/// Parts see each other's names, programs must not: they could be those of
/// another model.
static Error hideNames(StringRef joined, SmallVectorImpl<char> &object) {
  auto buffer = MemoryBuffer::getFile(joined, /*IsText=*/false,
                                      /*RequiresNullTerminator=*/false);
  if (!buffer)
    return make_error<IoError>(joined, buffer.getError());
  auto file = object::ObjectFile::createELFObjectFile(**buffer);
  if (!file)
    return file.takeError();
  objcopy::CommonConfig config;
  objcopy::ELFConfig elf;
  elf.LocalizeHidden = true;
  raw_svector_ostream os(object);
  return objcopy::elf::executeObjcopyOnBinary(
      config, elf, cast<object::ELFObjectFileBase>(**file), os);
}

Error joinObjects(ArrayRef<SmallVector<char, 0>> parts, StringRef path,
                  SmallVectorImpl<char> &object) {
  SmallVector<std::string> arguments{"ld.lld", "-r", "--threads=1"};
  std::vector<OutputFile> files;
  for (const SmallVector<char, 0> &part : parts) {
    auto file = OutputFile::create((path + ".part").str());
    if (!file)
      return file.takeError();
    if (Error error = file->write([&](raw_fd_ostream &os) {
          os.write(part.data(), part.size());
          return Error::success();
        }))
      return error;
    arguments.push_back(file->temporary());
    files.push_back(std::move(*file));
  }
  auto joined = OutputFile::create((path + ".joined").str());
  if (!joined)
    return joined.takeError();
  if (Error error = runLinker(std::move(arguments), *joined, path))
    return error;
  return hideNames(joined->temporary(), object);
}

} // namespace weir
