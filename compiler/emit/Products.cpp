// The kinds of products, by the words and the names of files that ask for them,
// and where the files of a product go.

#include "compiler/emit/Emit.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace weir {

static constexpr struct {
  Product product;
  StringLiteral word, ending;
} products[] = {
    {Product::Shared, "shared", ".so"}, {Product::Static, "static", ".a"},
    {Product::Object, "obj", ".o"},     {Product::Executable, "exe", ""},
    {Product::Llvm, "llvm", ".ll"},     {Product::Asm, "asm", ".s"},
    {Product::Mlir, "mlir", ".mlir"},   {Product::Ptx, "ptx", ".ptx"}};

std::optional<Product> productOfWord(StringRef word) {
  for (const auto &one : products)
    if (word == one.word)
      return one.product;
  return std::nullopt;
}

std::optional<Product> productOfPath(StringRef path) {
  for (const auto &one : products)
    if (sys::path::extension(path) == one.ending)
      return one.product;
  return std::nullopt;
}

SmallVector<StringRef> productWords() {
  return map_to_vector(products,
                       [](auto &one) -> StringRef { return one.word; });
}

std::string productEndings() {
  std::vector<StringRef> endings;
  for (const auto &one : products)
    if (!one.ending.empty())
      endings.push_back(one.ending);
  return join(endings, ", ");
}

bool isText(Product product) {
  return product == Product::Llvm || product == Product::Asm ||
         product == Product::Mlir || product == Product::Ptx;
}

std::string weightsPath(const EmitOptions &options) {
  SmallString<128> path(options.output);
  sys::path::replace_extension(path, ".weights");
  return path.str().str();
}

std::string kernelTextPath(const EmitOptions &options, StringRef variant) {
  SmallString<128> path(options.debugDir.empty()
                            ? sys::path::parent_path(options.output)
                            : StringRef(options.debugDir));
  std::string name = sys::path::stem(options.output).str();
  if (!variant.empty())
    name += ("." + variant).str();
  sys::path::append(path, name + ".kernels.mlir");
  return path.str().str();
}

/// Where a file of this name is, or would be made.
static std::string placeOf(StringRef path) {
  StringRef folder = sys::path::parent_path(path);
  SmallString<256> real;
  if (sys::fs::real_path(folder.empty() ? "." : folder, real))
    real = folder;
  sys::path::append(real, sys::path::filename(path));
  sys::path::remove_dots(real);
  return real.str().str();
}

/// Two names of one file, be it that links lead there. Devices take whatever
/// is written.
static bool areSame(StringRef one, StringRef other) {
  sys::fs::file_status status;
  if (!sys::fs::status(one, status) && sys::fs::exists(status) &&
      !sys::fs::is_regular_file(status))
    return false;
  return placeOf(one) == placeOf(other) || sys::fs::equivalent(one, other);
}

std::string samePlaces(const EmitOptions &options, StringRef report,
                       StringRef depfile, StringRef trace,
                       ArrayRef<std::string> inputs) {
  struct OutputFile {
    StringLiteral what;
    std::string path;
  };
  std::vector<OutputFile> written;
  if (!options.output.empty() && options.output != "-")
    written.push_back({"the output", options.output});
  if (!options.header.empty())
    written.push_back({"the header", options.header});
  if (options.weightsFile)
    written.push_back({"the file of weights", weightsPath(options)});
  for (const std::string &text : options.kernelTexts)
    written.push_back({"the IR of kernels", text});
  if (!report.empty())
    written.push_back({"the report", report.str()});
  if (!depfile.empty() && depfile != "-")
    written.push_back({"the depfile", depfile.str()});
  if (!trace.empty())
    written.push_back({"the trace", trace.str()});
  for (auto [i, file] : enumerate(written)) {
    for (const std::string &input : inputs)
      if (areSame(file.path, input))
        return (file.what + " would take the place of the input, '" + input +
                "'")
            .str();
    for (const OutputFile &before : ArrayRef(written).take_front(i))
      if (areSame(file.path, before.path))
        return (before.what + " and " + file.what + " would be one file, '" +
                file.path + "'")
            .str();
  }
  return "";
}

} // namespace weir
