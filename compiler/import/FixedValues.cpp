// Parses what --value gives: numbers, or a file of NumPy's format.

#include "compiler/import/FixedValues.h"

#include "compiler/import/Dependencies.h"
#include "compiler/import/Elements.h"
#include "dialects/weir/TensorName.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace mlir;

namespace weir {

bool isFixedInput(const ImportOptions &options, StringRef name) {
  return llvm::any_of(options.values, [&](const FixedValue &value) {
    return isSameTensor(name, value.input);
  });
}

namespace {

/// Reads one --value.
class Reader {
public:
  Reader(Report &report, const FixedValue &value, Type element)
      : report(report), value(value), element(element) {}

  FailureOr<FixedTensor> read(std::optional<SmallVector<int64_t>> said) {
    FixedTensor tensor;
    StringRef text = value.text;
    bool isFile = text.consume_front("@");
    if (failed(isFile ? readFile(text, tensor) : readNumbers(tensor)))
      return failure();
    if (said && failed(isFile ? checkShape(tensor, *said)
                              : fill(tensor, std::move(*said))))
      return failure();
    return tensor;
  }

private:
  InFlightDiagnostic error() {
    InFlightDiagnostic diagnostic = report.error(Status::badUsage);
    diagnostic << "--value=" << escaped(value.input, 100) << "="
               << escaped(value.text, 100) << ": ";
    return diagnostic;
  }

  /// The bits of a number; nothing where the type cannot hold it.
  std::optional<APInt> parseNumber(StringRef text) const {
    if (auto type = dyn_cast<FloatType>(element)) {
      APFloat number(type.getFloatSemantics());
      auto status =
          number.convertFromString(text, APFloat::rmNearestTiesToEven);
      if (!status) {
        llvm::consumeError(status.takeError());
        return std::nullopt;
      }
      if (*status & APFloat::opOverflow)
        return std::nullopt;
      return number.bitcastToAPInt();
    }
    unsigned width = element.getIntOrFloatBitWidth();
    if (width == 1 && (text == "true" || text == "false"))
      return APInt(8, text == "true");
    bool isUnsigned = width == 1 || element.isUnsignedInteger();
    uint64_t positive = 0;
    int64_t any = 0;
    if (isUnsigned
            ? text.getAsInteger(10, positive) || !llvm::isUIntN(width, positive)
            : text.getAsInteger(10, any) || !llvm::isIntN(width, any))
      return std::nullopt;
    return APInt(std::max(width, 8u),
                 isUnsigned ? positive : static_cast<uint64_t>(any),
                 /*isSigned=*/!isUnsigned);
  }

  LogicalResult readNumbers(FixedTensor &tensor) {
    SmallVector<StringRef> numbers;
    StringRef(value.text).split(numbers, ',');
    for (StringRef number : numbers) {
      std::optional<APInt> bits = parseNumber(number.trim());
      if (!bits)
        return error() << "'" << escaped(number, 100) << "' is no value of "
                       << element;
      for (unsigned bit = 0; bit < bits->getBitWidth(); bit += 8)
        tensor.bytes.push_back(
            static_cast<char>(bits->extractBitsAsZExtValue(8, bit)));
    }
    count = static_cast<int64_t>(numbers.size());
    if (count > 1)
      tensor.shape.push_back(count);
    return success();
  }

  /// Gives the numbers a shape: one number for each element, or one for all.
  /// One dynamic dimension is inferred from their count.
  LogicalResult fill(FixedTensor &tensor, SmallVector<int64_t> said) {
    int64_t elements = 1, open = 0, *last = nullptr;
    for (int64_t &size : said)
      if (ShapedType::isDynamic(size)) {
        ++open;
        last = &size;
      } else if (llvm::MulOverflow(elements, size, elements)) {
        return error() << "the input is too large: " << dimsText(said);
      }
    if (open == 1 && elements && count % elements == 0)
      *last = count / elements;
    else if (open)
      return error() << "the input is " << dimsText(said) << "; give @FILE.npy";
    else if (count != 1 && count != elements)
      return error() << "gives " << count << " values for an input of "
                     << elements
                     << (said.empty() ? " element"
                                      : " elements, " + dimsText(said));
    if (!byteSize(said, elementBytes(element)))
      return error() << "the input is larger than a tensor may be";
    if (!open && count == 1 && elements != 1) {
      std::string one = std::move(tensor.bytes);
      tensor.bytes.clear();
      for (int64_t i = 0; i < elements; ++i)
        tensor.bytes += one;
    }
    tensor.shape = std::move(said);
    return success();
  }

  LogicalResult checkShape(const FixedTensor &tensor, ArrayRef<int64_t> said) {
    bool fits = tensor.shape.size() == said.size();
    for (size_t i = 0; fits && i < said.size(); ++i)
      fits = ShapedType::isDynamic(said[i]) || said[i] == tensor.shape[i];
    return fits ? success()
                : error() << "the file has "
                          << (tensor.shape.empty() ? "a scalar"
                                                   : dimsText(tensor.shape))
                          << " for an input that is "
                          << (said.empty() ? "a scalar" : dimsText(said));
  }

  /// NumPy's names of the element type; bf16, which it has not, is uint16.
  bool isElement(StringRef descr) const {
    unsigned bytes = elementBytes(element);
    StringRef kind = element.isInteger(1)          ? "b"
                     : element.isBF16()            ? "u"
                     : isa<FloatType>(element)     ? "f"
                     : element.isUnsignedInteger() ? "u"
                                                   : "i";
    if (descr.empty() || (descr[0] == '>' && bytes > 1))
      return false;
    return descr.drop_front() == (kind + Twine(bytes)).str();
  }

  /// The text between `after` and the next `end`, in the header of a file.
  static StringRef field(StringRef header, StringRef after, char end) {
    size_t at = header.find(after);
    return at == StringRef::npos
               ? StringRef()
               : header.drop_front(at + after.size()).split(end).first;
  }

  LogicalResult readFile(StringRef path, FixedTensor &tensor) {
    auto file = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false);
    if (!file)
      return report.error(Status::io) << "cannot read '" << escaped(path)
                                      << "': " << file.getError().message();
    addDependency(path);
    StringRef bytes = (*file)->getBuffer();
    size_t start = 10;
    if (!bytes.starts_with("\x93NUMPY") || bytes.size() < 12)
      return error() << "is no file of NumPy's (.npy)";
    size_t length = llvm::support::endian::read16le(bytes.data() + 8);
    if (bytes[6] > 1) {
      length = llvm::support::endian::read32le(bytes.data() + 8);
      start = 12;
    }
    StringRef header = bytes.substr(start, length);
    StringRef data = bytes.substr(std::min(bytes.size(), start + length));
    StringRef descr = field(header, "'descr': '", '\'');
    if (!isElement(descr))
      return error() << "the file has elements '" << escaped(descr, 40)
                     << "' for an input of " << element;
    if (!header.contains("'fortran_order': False"))
      return error() << "the file's array is not in C's order";
    SmallVector<StringRef> sizes;
    field(header, "'shape': (", ')').split(sizes, ',', -1, false);
    for (StringRef size : sizes)
      if (size.trim().getAsInteger(10, tensor.shape.emplace_back()))
        return error() << "the file's shape cannot be read";
    auto wanted = byteSize(tensor.shape, elementBytes(element));
    if (!wanted || static_cast<uint64_t>(*wanted) != data.size())
      return error() << "the file is cut, or too large";
    tensor.bytes = data.str();
    return success();
  }

  Report &report;
  const FixedValue &value;
  Type element;
  int64_t count = 0;
};

} // namespace

/// Fixes the dynamic dimensions of an input that the options give a size.
static void fixSizes(const ImportOptions &options, StringRef input,
                     SmallVectorImpl<int64_t> &shape,
                     ArrayRef<std::string> names) {
  const GivenShape *given = nullptr;
  for (const auto &entry : options.shapes)
    if (isSameTensor(entry.getKey(), input))
      given = &entry.getValue();
  if (given && given->sizes.size() != shape.size())
    given = nullptr;
  input = withoutIndex(input);
  for (auto [i, size] : llvm::enumerate(shape)) {
    if (!ShapedType::isDynamic(size))
      continue;
    if (given)
      size = given->sizes[i];
    SmallVector<std::string> called = {(input + "." + Twine(i)).str()};
    if (given && !given->names[i].empty())
      called.push_back(given->names[i]);
    if (i < names.size() && !names[i].empty())
      called.push_back(names[i]);
    for (const std::string &name : called)
      if (auto range = options.dims.find(name);
          ShapedType::isDynamic(size) && range != options.dims.end() &&
          range->second.low == range->second.high)
        size = range->second.low;
  }
}

FailureOr<FixedTensor> readFixedValue(Report &report,
                                      const ImportOptions &options,
                                      const FixedValue &value, Type element,
                                      std::optional<SmallVector<int64_t>> shape,
                                      ArrayRef<std::string> names) {
  if (shape)
    fixSizes(options, value.input, *shape, names);
  return Reader(report, value, element).read(std::move(shape));
}

} // namespace weir
