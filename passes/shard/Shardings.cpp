// Which dimensions of a tensor are divided among the ranks of a mesh.

#include "passes/shard/Shardings.h"

using namespace mlir;

namespace weir::shard {

static RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

Sharding wholeOf(Value value) { return Sharding(typeOf(value).getRank()); }

bool isWhole(ArrayRef<int64_t> sharding) {
  return llvm::all_of(sharding, [](int64_t bits) { return bits == 0; });
}

ArrayAttr axesOf(MeshAttr mesh, int64_t bits) {
  SmallVector<Attribute> axes;
  for (auto [i, axis] : llvm::enumerate(mesh.getAxes()))
    if (bits >> i & 1)
      axes.push_back(axis);
  return ArrayAttr::get(mesh.getContext(), axes);
}

int64_t bitOf(MeshAttr mesh, StringRef axis) {
  MLIRContext *context = mesh.getContext();
  return mesh.bitsOf(ArrayAttr::get(context, StringAttr::get(context, axis)));
}

int64_t ranksOf(MeshAttr mesh, int64_t bits) {
  return mesh.sizeOf(axesOf(mesh, bits));
}

bool canDivide(MeshAttr mesh, Type type, ArrayRef<int64_t> sharding) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.hasStaticShape() &&
         tensor.getRank() == int64_t(sharding.size()) &&
         llvm::all_of(llvm::zip_equal(tensor.getShape(), sharding),
                      [&](auto each) {
                        auto [size, bits] = each;
                        return size % ranksOf(mesh, bits) == 0;
                      });
}

RankedTensorType partOf(MeshAttr mesh, Type whole, ArrayRef<int64_t> sharding) {
  auto type = cast<RankedTensorType>(whole);
  SmallVector<int64_t> shape(type.getShape());
  for (auto [size, bits] : llvm::zip_equal(shape, sharding))
    size /= ranksOf(mesh, bits);
  return type.clone(shape);
}

void Division::follow(ArrayRef<Sharding> operands) {
  SmallVector<unsigned> order =
      llvm::to_vector(llvm::seq<unsigned>(0, operands.size()));
  llvm::stable_sort(order, [&](unsigned a, unsigned b) {
    return typeOf(op->getOperand(a)).getNumElements() >
           typeOf(op->getOperand(b)).getNumElements();
  });
  for (unsigned i : order)
    for (auto [letter, axes] : llvm::zip_equal(rule.operands[i], operands[i]))
      if (axes && letter != graph::ShardingRule::whole)
        divide(letter, axes);
}

bool Division::produce(unsigned result, ArrayRef<int64_t> sharding) {
  for (auto [letter, axes] : llvm::zip_equal(rule.results[result], sharding))
    if (axes && (letter == graph::ShardingRule::whole || !divide(letter, axes)))
      return false;
  return true;
}

std::pair<int64_t, graph::Combine> Division::partialAxes() const {
  int64_t axes = 0;
  graph::Combine how = graph::Combine::sum;
  for (auto [letter, combine] : rule.combined) {
    axes |= axesOfLetter.lookup(letter);
    how = combine;
  }
  return {axes, how};
}

bool Division::divide(int letter, int64_t axes) {
  if (axesOfLetter.lookup(letter) == axes)
    return true;
  if (axesOfLetter.lookup(letter) || (used & axes) ||
      !isDivisible(letter, ranksOf(mesh, axes)))
    return false;
  axesOfLetter[letter] = axes;
  used |= axes;
  return true;
}

bool Division::isDivisible(int letter, int64_t ranks) const {
  auto check = [&](ValueRange values,
                   ArrayRef<graph::ShardingRule::Letters> letters) {
    for (auto [value, list] : llvm::zip_equal(values, letters))
      for (auto [d, each] : llvm::enumerate(list))
        if (each == letter && typeOf(value).getDimSize(d) % ranks)
          return false;
    return true;
  };
  return check(op->getOperands(), rule.operands) &&
         check(op->getResults(), rule.results);
}

Sharding
Division::shardingOf(const graph::ShardingRule::Letters &letters) const {
  Sharding sharding;
  for (int letter : letters)
    sharding.push_back(axesOfLetter.lookup(letter));
  return sharding;
}

} // namespace weir::shard
