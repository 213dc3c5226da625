// Tile registers, which a kernel addresses by number.

#ifndef WEIR_DIALECTS_ISA_TILEREGISTERS_H
#define WEIR_DIALECTS_ISA_TILEREGISTERS_H

#include "dialects/target/Instructions.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

#include <memory>

namespace weir {

/// Eight registers of up to 16 rows of 64 bytes, and products of matrices
/// between them. Operands in memory begin at the first element at `leading`
/// indices of a buffer without gaps.
class TileRegisters {
public:
  /// The largest tile: its rows, the bytes of a row, and the sums of 32 bits in
  /// a row.
  static constexpr int64_t rows = 16, rowBytes = 64, columns = rowBytes / 4;

  /// Those of a target, which emit code at `b`; null without the abilities
  /// `tiles` and `byteTiles`.
  static std::unique_ptr<TileRegisters> of(const Instructions &has,
                                           mlir::ImplicitLocOpBuilder &b);

  virtual ~TileRegisters() = default;

  /// Before the first use and after the last one. Registers 0 to 5 have
  /// `height` rows, the others 16.
  virtual void configure(int64_t height) = 0;
  virtual void release() = 0;

  virtual void zero(int tile) = 0;
  /// Rows in memory are `stride` bytes apart.
  virtual void load(int tile, mlir::Value buffer, mlir::ValueRange leading,
                    int64_t stride = rowBytes) = 0;
  virtual void store(int tile, mlir::Value buffer, mlir::ValueRange leading,
                     int64_t stride = rowBytes) = 0;
  /// Adds to `sum` the products by inner-product pairing of bf16, or with
  /// `bytes` of four i8.
  virtual void multiply(bool bytes, int sum, int left, int right) = 0;
};

} // namespace weir

#endif // WEIR_DIALECTS_ISA_TILEREGISTERS_H
