// What `weir diff` prints.

#include "tools/diff/Print.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"
#include <cmath>

using namespace mlir;
namespace json = llvm::json;

namespace weir::diff {
namespace {

StringRef wordsOf(Verdict verdict) {
  switch (verdict) {
  case Verdict::wrongInA:
    return "wrong in A";
  case Verdict::wrongInB:
    return "wrong in B";
  case Verdict::wrongInBoth:
    return "wrong in A and B";
  case Verdict::disagrees:
    return "A and B disagree";
  case Verdict::inherited:
    break;
  }
  return "operands differ";
}

std::string numberText(double number, const char *format = "%.3g") {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format(format, number);
  return text;
}

/// An element in digits that distinguish it from its neighbours.
std::string elementText(const Element &element) {
  return element.integer ? llvm::toString(*element.integer, 10)
                         : numberText(element.number, "%.9g");
}

std::string ulpText(const Difference &difference) {
  return difference.maxUlp ? std::to_string(*difference.maxUlp) : "-";
}

ArrayRef<int64_t> shapeOf(const Comparison &comparison, const Finding &found) {
  Value value = comparison.model.tensors[found.tensor].value;
  return cast<ShapedType>(value.getType()).getShape();
}

/// The index of the worst element. Buffers of dynamic shapes have other
/// indices than the tensors in them.
std::string worstText(const Comparison &comparison, const Finding &found,
                      const Difference &difference) {
  if (comparison.model.tensors[found.tensor].sizes)
    return "[" + std::to_string(difference.worst) + "]";
  return indexText(shapeOf(comparison, found), difference.worst);
}

std::string typeOf(const Kept &kept) {
  std::string text;
  llvm::raw_string_ostream os(text);
  auto type = cast<ShapedType>(kept.value.getType());
  os << type.getElementType() << '[';
  if (kept.sizes)
    os << "up to ";
  llvm::interleave(type.getShape(), os, ",");
  os << ']';
  return text;
}

SmallVector<std::string> rowOf(const Comparison &comparison,
                               const Finding &found) {
  const Kept &kept = comparison.model.tensors[found.tensor];
  const Difference &difference = found.difference;
  SmallVector<std::string> row = {escaped(kept.tensor), typeOf(kept)};
  if (!difference.mismatch.empty())
    return {row[0], row[1], "-",
            "-",    "-",    "-",
            "-",    "-",    wordsOf(found.verdict).str()};
  row.append({numberText(difference.maxAbsolute),
              numberText(difference.maxRelative), ulpText(difference),
              worstText(comparison, found, difference),
              elementText(difference.a), elementText(difference.b),
              wordsOf(found.verdict).str()});
  return row;
}

void printTable(ArrayRef<SmallVector<std::string>> rows, raw_ostream &os) {
  SmallVector<size_t> widths(rows.front().size());
  for (const auto &row : rows)
    for (auto [width, cell] : llvm::zip_equal(widths, row))
      width = std::max(width, cell.size());
  for (const auto &row : rows) {
    for (auto [i, cell] : llvm::enumerate(row)) {
      os << cell;
      if (i + 1 < row.size())
        os.indent(widths[i] + 2 - cell.size());
    }
    os << '\n';
  }
}

void printLocal(const Comparison &comparison, const Finding &found,
                const std::optional<Difference> &local, StringRef side,
                raw_ostream &os) {
  if (!local)
    return;
  os << "  on the operands of " << side << " its f64 value ";
  if (!local->mismatch.empty())
    os << "has another type: " << local->mismatch << '\n';
  else if (local->isEqual())
    os << "is that of " << side << '\n';
  else
    os << "differs by up to " << numberText(local->maxAbsolute) << ": "
       << worstText(comparison, found, *local) << " is "
       << elementText(local->a) << ", not " << elementText(local->b) << '\n';
}

void printOrigin(const Comparison &comparison, const Finding &found,
                 raw_ostream &os) {
  const Kept &kept = comparison.model.tensors[found.tensor];
  os << "\nthe first difference is in '" << escaped(kept.tensor) << "'";
  if (!kept.node.empty())
    os << " of node '" << escaped(kept.node) << "'";
  os << ": " << wordsOf(found.verdict) << '\n';
  if (!found.difference.mismatch.empty())
    os << "  " << found.difference.mismatch << '\n';
  printLocal(comparison, found, found.localA, "A", os);
  printLocal(comparison, found, found.localB, "B", os);
  for (size_t operand : found.operands) {
    const Difference &difference = *comparison.result.differences[operand];
    os << "  operand '" << escaped(comparison.model.tensors[operand].tensor)
       << "' ";
    if (difference.isEqual())
      os << "is equal\n";
    else
      os << "differs by up to " << numberText(difference.maxAbsolute)
         << (difference.isBeyond ? ", beyond" : ", within") << " its bound\n";
  }
}

void printSummary(const Comparison &comparison, raw_ostream &os) {
  const Result &result = comparison.result;
  size_t beyond = result.findings.size();
  os << result.compared << " tensors compared, " << beyond
     << " beyond their bound: " << result.origins << " by their own node, "
     << beyond - result.origins << " by their operands\n";
  if (result.skipped)
    os << result.skipped << " tensors are not on both sides\n";
  if (result.isCut)
    os << "--first: the tensors behind are not compared\n";
}

json::Value jsonNumber(double number) {
  if (std::isfinite(number))
    return number;
  return std::isnan(number) ? "nan" : number > 0 ? "inf" : "-inf";
}

json::Value jsonElement(const Element &element) {
  if (!element.integer)
    return jsonNumber(element.number);
  return element.integer->isUnsigned()
             ? json::Value(element.integer->getZExtValue())
             : json::Value(element.integer->getSExtValue());
}

json::Object describe(const Difference &difference) {
  json::Object all{{"max_absolute", jsonNumber(difference.maxAbsolute)},
                   {"max_relative", jsonNumber(difference.maxRelative)},
                   {"elements", difference.elements},
                   {"elements_beyond", difference.beyond},
                   {"worst", difference.worst},
                   {"a", jsonElement(difference.a)},
                   {"b", jsonElement(difference.b)}};
  all["max_ulp"] = difference.maxUlp ? json::Value(*difference.maxUlp)
                                     : json::Value(nullptr);
  if (!difference.mismatch.empty())
    all["mismatch"] = difference.mismatch;
  return all;
}

json::Object describe(const Comparison &comparison, const Finding &found) {
  const Kept &kept = comparison.model.tensors[found.tensor];
  json::Object all = describe(found.difference);
  all["tensor"] = json::fixUTF8(kept.tensor);
  all["node"] = json::fixUTF8(kept.node);
  all["type"] = typeOf(kept);
  all["verdict"] = wordsOf(found.verdict);
  if (found.localA)
    all["local_a"] = describe(*found.localA);
  if (found.localB)
    all["local_b"] = describe(*found.localB);
  json::Array operands;
  for (size_t operand : found.operands) {
    json::Object one = describe(*comparison.result.differences[operand]);
    one["tensor"] = json::fixUTF8(comparison.model.tensors[operand].tensor);
    operands.push_back(std::move(one));
  }
  all["operands"] = std::move(operands);
  return all;
}

} // namespace

void printText(const Comparison &comparison, raw_ostream &os) {
  const Result &result = comparison.result;
  os << "A: " << escaped(comparison.a.name, 1000)
     << "\nB: " << escaped(comparison.b.name, 1000) << '\n';
  // Without an origin the bounds by operation only tell that errors add up.
  if (differs(result, comparison.options)) {
    SmallVector<SmallVector<std::string>> rows = {{"tensor", "type", "max abs",
                                                   "max rel", "ulp", "worst",
                                                   "A", "B", "why"}};
    for (const Finding &found : result.findings)
      rows.push_back(rowOf(comparison, found));
    os << '\n';
    printTable(rows, os);
    if (const Finding *origin = result.firstOrigin())
      printOrigin(comparison, *origin, os);
    os << '\n';
  }
  printSummary(comparison, os);
}

void printText(const Bisection &bisection, raw_ostream &os) {
  os << "bisection of side " << bisection.side << ":\n";
  if (!bisection.kernels.empty())
    os << "  kernels of the node: " << llvm::join(bisection.kernels, ", ")
       << '\n';
  if (bisection.isAlone)
    os << "  the node shows the difference in a program of its own\n";
  if (bisection.pass.empty()) {
    os << "  " << bisection.reason << '\n';
    return;
  }
  os << "  the pass " << bisection.pass << " of the stage " << bisection.stage
     << " introduces it, on " << bisection.on;
  if (bisection.run)
    os << " (run " << bisection.run << " of " << bisection.runs
       << " of optional passes)";
  os << '\n';
}

static json::Object describe(const Bisection &bisection) {
  json::Object all{{"side", bisection.side},
                   {"kernels", json::Array(bisection.kernels)},
                   {"alone", bisection.isAlone}};
  if (bisection.pass.empty()) {
    all["reason"] = bisection.reason;
    return all;
  }
  all["pass"] = bisection.pass;
  all["stage"] = bisection.stage;
  all["on"] = json::fixUTF8(bisection.on);
  if (bisection.run) {
    all["run"] = bisection.run;
    all["runs"] = bisection.runs;
  }
  return all;
}

void printJson(const Comparison &comparison,
               const std::optional<Bisection> &bisection, raw_ostream &os) {
  const Result &result = comparison.result;
  json::Array findings;
  for (const Finding &found : result.findings)
    findings.push_back(describe(comparison, found));
  json::Object all{{"a", json::fixUTF8(comparison.a.name)},
                   {"b", json::fixUTF8(comparison.b.name)},
                   {"equal", !differs(result, comparison.options)},
                   {"compared", result.compared},
                   {"skipped", result.skipped},
                   {"origins", result.origins},
                   {"findings", std::move(findings)}};
  if (const Finding *origin = result.firstOrigin())
    all["first"] =
        json::fixUTF8(comparison.model.tensors[origin->tensor].tensor);
  if (bisection)
    all["bisection"] = describe(*bisection);
  os << json::Value(std::move(all)) << '\n';
}

} // namespace weir::diff
