// The table of optimizers. Their defaults are those of TensorFlow.

#include "passes/train/Optimizers.h"

using namespace mlir;
using namespace weir::graph::build;

namespace weir::train {

Moments Step::moments() const {
  return {kept[0],          kept[1],          meanPower,         squarePower,
          (*this)["beta1"], (*this)["beta2"], (*this)["epsilon"]};
}

namespace {

using Numbers = llvm::StringMap<double>;

template <unsigned count>
unsigned keeps(const Numbers &) {
  return count;
}
double zeros(const Numbers &, unsigned) { return 0; }
/// The first slot, a sum of squares, may start above zero; the others start at
/// zero.
double initialSquares(const Numbers &numbers, unsigned i) {
  return i == 0 ? numbers.lookup("initial") : 0;
}

Updated gradientDescentStep(const Step &s) {
  return gradientDescent(s.x, s.rate, s.slope);
}

Updated momentumStep(const Step &s) {
  return momentum(s.x, s.kept[0], s.rate, s.slope, s["momentum"],
                  s.has("nesterov"));
}

unsigned rmsPropKeeps(const Numbers &numbers) {
  return numbers.lookup("centered") != 0 ? 3 : 2;
}
/// TensorFlow starts the mean of squares with ones.
double rmsPropFirst(const Numbers &, unsigned i) { return i == 0; }
Updated rmsPropStep(const Step &s) {
  Expr decay = s["decay"], speed = s["momentum"], epsilon = s["epsilon"];
  if (!s.has("centered"))
    return rmsProp(s.x, s.kept[0], s.kept[1], s.rate, decay, speed, epsilon,
                   s.slope);
  // The slots are mean square, mean and momentum; the formula has the mean
  // first.
  Updated updated = centeredRmsProp(s.x, s.kept[1], s.kept[0], s.kept[2],
                                    s.rate, decay, speed, epsilon, s.slope);
  std::swap(updated[1], updated[2]);
  return updated;
}

Updated adagradStep(const Step &s) {
  return adagrad(s.x, s.kept[0], s.rate,
                 s.has("epsilon") ? s["epsilon"] : Expr(), s.slope, true);
}

double dualFirst(const Numbers &numbers, unsigned i) {
  return i == 1 ? numbers.lookup("initial") : 0;
}
Updated adagradDualStep(const Step &s) {
  return adagradDual(s.x, s.kept[0], s.kept[1], s.rate, s["l1"], s["l2"],
                     s.number, s.slope);
}

Updated adadeltaStep(const Step &s) {
  return adadelta(s.x, s.kept[0], s.kept[1], s.rate, s["rho"], s["epsilon"],
                  s.slope);
}

Updated adamStep(const Step &s) {
  return adam(s.x, s.moments(), s.rate, s.slope, s.has("nesterov"));
}

/// Loshchilov and Hutter, arXiv:1711.05101: the decay is subtracted before the
/// update.
Updated adamDecayStep(const Step &s) {
  Expr x = s.decay != 0 ? s.x - s.x * (s.rate * s.decay) : s.x;
  return adam(x, s.moments(), s.rate, s.slope, false);
}

Updated adaMaxStep(const Step &s) {
  return adaMax(s.x, s.moments(), s.rate, s.slope);
}

Updated ftrlStep(const Step &s) {
  return ftrl(s.x, s.kept[0], s.kept[1], s.rate, s["l1"], s["l2"],
              s.has("shrinkage") ? s["shrinkage"] : Expr(), s["power"],
              s.slope);
}

Updated lambStep(const Step &s) {
  return lamb(s.x, s.moments(), s.rate, s.x.like(s.decay), s.slope);
}

constexpr Parameter descentNumbers[] = {{"lr", 0.01}};
constexpr Parameter momentumNumbers[] = {
    {"lr", 0.01}, {"momentum", 0.9}, {"nesterov", 0}};
constexpr Parameter rmsPropNumbers[] = {{"lr", 0.001},
                                        {"decay", 0.9},
                                        {"momentum", 0},
                                        {"epsilon", 1e-10},
                                        {"centered", 0}};
constexpr Parameter adagradNumbers[] = {
    {"lr", 0.01}, {"initial", 0.1}, {"epsilon", 0}};
constexpr Parameter dualNumbers[] = {
    {"lr", 0.01}, {"initial", 0.1}, {"l1", 0}, {"l2", 0}};
constexpr Parameter adadeltaNumbers[] = {
    {"lr", 0.001}, {"rho", 0.95}, {"epsilon", 1e-8}};
constexpr Parameter adamNumbers[] = {{"lr", 0.001},
                                     {"beta1", 0.9},
                                     {"beta2", 0.999},
                                     {"epsilon", 1e-8},
                                     {"nesterov", 0}};
constexpr Parameter adamDecayNumbers[] = {
    {"lr", 0.001}, {"beta1", 0.9}, {"beta2", 0.999}, {"epsilon", 1e-8}};
constexpr Parameter ftrlNumbers[] = {{"lr", 0.001},    {"power", -0.5},
                                     {"initial", 0.1}, {"l1", 0},
                                     {"l2", 0},        {"shrinkage", 0}};
constexpr Parameter lambNumbers[] = {
    {"lr", 0.001}, {"beta1", 0.9}, {"beta2", 0.999}, {"epsilon", 1e-6}};

const Optimizer all[] = {
    {"GradientDescent", descentNumbers, keeps<0>, zeros, false, false, false,
     gradientDescentStep},
    {"Momentum", momentumNumbers, keeps<1>, zeros, false, false, false,
     momentumStep},
    {"RMSProp", rmsPropNumbers, rmsPropKeeps, rmsPropFirst, false, false, false,
     rmsPropStep},
    {"Adagrad", adagradNumbers, keeps<1>, initialSquares, false, false, false,
     adagradStep},
    {"AdagradDA", dualNumbers, keeps<2>, dualFirst, false, true, false,
     adagradDualStep},
    {"Adadelta", adadeltaNumbers, keeps<2>, zeros, false, false, false,
     adadeltaStep},
    {"Adam", adamNumbers, keeps<2>, zeros, true, false, false, adamStep},
    {"AdamW", adamDecayNumbers, keeps<2>, zeros, true, false, true,
     adamDecayStep},
    {"AdaMax", adamDecayNumbers, keeps<2>, zeros, true, false, false,
     adaMaxStep},
    {"Ftrl", ftrlNumbers, keeps<2>, initialSquares, false, false, false,
     ftrlStep},
    {"LAMB", lambNumbers, keeps<2>, zeros, true, false, true, lambStep}};

std::string plain(StringRef name) {
  std::string text = name.lower();
  llvm::erase(text, '_');
  return text;
}

} // namespace

ArrayRef<Optimizer> optimizers() { return all; }

const Optimizer *findOptimizer(StringRef name) {
  std::string wanted = name == "sgd" ? "gradientdescent" : plain(name);
  for (const Optimizer &optimizer : all)
    if (plain(optimizer.name) == wanted)
      return &optimizer;
  return nullptr;
}

} // namespace weir::train
