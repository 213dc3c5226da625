// The functions of f64 that a run leaves to libm.

#include "dialects/graph/elementwise/Lanes.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cmath>

using namespace mlir;

namespace weir {

LibmFunction libmFunction(Operation &op) {
  if (op.getNumResults() != 1 || !op.getResult(0).getType().isF64())
    return {};
  using One = double (*)(double);
  using Two = double (*)(double, double);
  auto two = llvm::TypeSwitch<Operation *, Two>(&op)
                 .Case([](math::Atan2Op) -> Two { return std::atan2; })
                 .Case([](math::PowFOp) -> Two { return std::pow; })
                 .Default([](Operation *) { return nullptr; });
  auto one = llvm::TypeSwitch<Operation *, One>(&op)
                 .Case([](math::ExpOp) -> One { return std::exp; })
                 .Case([](math::ExpM1Op) -> One { return std::expm1; })
                 .Case([](math::LogOp) -> One { return std::log; })
                 .Case([](math::Log1pOp) -> One { return std::log1p; })
                 .Case([](math::SinOp) -> One { return std::sin; })
                 .Case([](math::CosOp) -> One { return std::cos; })
                 .Case([](math::TanOp) -> One { return std::tan; })
                 .Case([](math::AsinOp) -> One { return std::asin; })
                 .Case([](math::AcosOp) -> One { return std::acos; })
                 .Case([](math::AtanOp) -> One { return std::atan; })
                 .Case([](math::SinhOp) -> One { return std::sinh; })
                 .Case([](math::CoshOp) -> One { return std::cosh; })
                 .Case([](math::TanhOp) -> One { return std::tanh; })
                 .Case([](math::AsinhOp) -> One { return std::asinh; })
                 .Case([](math::AcoshOp) -> One { return std::acosh; })
                 .Case([](math::AtanhOp) -> One { return std::atanh; })
                 .Case([](math::ErfOp) -> One { return std::erf; })
                 .Default([](Operation *) { return nullptr; });
  return {one, two};
}

bool isExact(Operation *op) {
  return isa<math::AbsFOp, math::CeilOp, math::CopySignOp, math::CtPopOp,
             math::FloorOp, math::FmaOp, math::RoundEvenOp, math::SqrtOp,
             math::TruncOp>(op);
}

} // namespace weir
