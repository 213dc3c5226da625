// Random numbers of the generator Philox 4x32-10, TensorFlow's: they depend on
// the seeds and on the place in the result alone. They are computed by ops on
// whole tensors, so that they fuse with what uses them.

#ifndef WEIR_COMPILER_IMPORT_BUILD_PHILOX_H
#define WEIR_COMPILER_IMPORT_BUILD_PHILOX_H

#include "compiler/import/Build.h"

#include <array>

namespace weir {

/// Where the generator begins: scalars ui64, of which the lower half of the
/// counter is 0 where it is null.
struct Generator {
  Expr key, low, high;
};

/// Any number of 64 bits.
Expr wide(mlir::ImplicitLocOpBuilder &b, uint64_t number);

/// The generator of a node, with another key in each step of training; as it is
/// where nothing is trained.
Generator ofStep(mlir::ImplicitLocOpBuilder &b, Generator generator);

/// The four words of 32 bits, each as ui64, that the generator gives when its
/// counter has been moved on by each of `steps`, ui64 of any shape.
std::array<Expr, 4> wordsAt(const Generator &generator, Expr steps);
/// The first `count` words, or somewhat more, as ui64 of shape [groups, 4].
Expr wordsOf(mlir::ImplicitLocOpBuilder &b, const Generator &generator,
             int64_t count);

/// Numbers of 64 bits of two words: with the first as the lower half or, as
/// floats are made, the upper.
Expr joined(Expr first, Expr second, bool firstIsLow);
/// The same of each pair of words, in a row.
Expr pairs(Expr words, bool firstIsLow);
/// Numbers of the float `type` in [0, 1) of as many bits.
Expr unitFloats(Expr bits, mlir::FloatType type);
/// The same in a row, of one word each or, for f64, of two.
Expr uniform(Expr words, mlir::FloatType type);
/// Two normal numbers of two uniform ones, by their polar coordinates.
std::pair<Expr, Expr> normals(Expr u, Expr v);

/// The first `count` elements, in a row.
Expr firstOf(Expr x, int64_t count);
/// `count` numbers in [0, 1), and normal ones, as TensorFlow makes them.
Expr uniformNumbers(const Generator &generator, int64_t count,
                    mlir::FloatType type);
Expr normalNumbers(const Generator &generator, int64_t count,
                   mlir::FloatType type);

/// The generator once more, on numbers: for what is decided now.
class Stream {
public:
  Stream(uint64_t key, uint64_t counter) : key(key), counter(counter) {}
  uint32_t next();

private:
  uint64_t key, counter, group = 0;
  uint32_t words[4] = {};
  int used = 4;
};

} // namespace weir

#endif // WEIR_COMPILER_IMPORT_BUILD_PHILOX_H
