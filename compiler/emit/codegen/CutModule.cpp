// Which functions of a large module are optimised together.
//
// LLVM's SplitModule keeps together whatever shares a local name, which here is
// everything, or makes all names visible and so keeps unused copies of what it
// inlines; and it knows no sizes.

#include "compiler/emit/Names.h"
#include "compiler/emit/codegen/Parts.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace weir {
namespace {

/// A function smaller than this is not worth a place of its own: it may be one
/// to inline.
constexpr unsigned minInstructions = 200;

struct Cutter {
  Module &module;
  unsigned size;
  DenseMap<const GlobalValue *, unsigned> parts{};

  unsigned partOf(const GlobalValue *value) { return parts.lookup(value); }

  /// The parts of the functions and variables that refer to `value`.
  void addUsers(const Constant *value, SmallSetVector<unsigned, 4> &users,
                SmallPtrSetImpl<const Constant *> &seen) {
    for (const User *user : value->users()) {
      if (auto *instruction = dyn_cast<Instruction>(user))
        users.insert(partOf(instruction->getFunction()));
      else if (auto *global = dyn_cast<GlobalValue>(user))
        users.insert(partOf(global));
      else if (seen.insert(cast<Constant>(user)).second)
        addUsers(cast<Constant>(user), users, seen);
    }
  }

  SmallSetVector<unsigned, 4> usersOf(const GlobalValue &value) {
    SmallSetVector<unsigned, 4> users;
    SmallPtrSet<const Constant *, 8> seen;
    addUsers(&value, users, seen);
    return users;
  }

  /// The one local function that `function` calls, if it does not much else.
  Function *servedBy(Function &function) {
    if (function.getInstructionCount() >= minInstructions)
      return nullptr;
    Function *served = nullptr;
    for (Instruction &instruction : instructions(function))
      if (auto *call = dyn_cast<CallBase>(&instruction)) {
        Function *callee = call->getCalledFunction();
        if (!callee || callee->isIntrinsic())
          continue;
        if (callee->isDeclaration() || (served && served != callee))
          return nullptr;
        served = callee;
      }
    return served;
  }

  unsigned giveFunctions() {
    // An alias is where what it is another name of is.
    SmallPtrSet<const GlobalObject *, 8> aliased;
    for (GlobalAlias &alias : module.aliases())
      aliased.insert(alias.getAliaseeObject());
    unsigned count = 1, filled = 0;
    for (Function &function : module) {
      unsigned instructions = function.getInstructionCount();
      if (function.isDeclaration() || instructions < minInstructions ||
          !function.hasLocalLinkage() || aliased.contains(&function))
        continue;
      if (count == 1 || filled >= size) {
        ++count;
        filled = 0;
      }
      filled += instructions;
      parts[&function] = count - 1;
    }
    SmallVector<std::pair<Function *, unsigned>> wrappers;
    for (Function &function : module)
      if (!function.isDeclaration() && function.hasLocalLinkage() &&
          !aliased.contains(&function))
        if (Function *served = servedBy(function))
          if (unsigned part = partOf(served))
            wrappers.push_back({&function, part});
    for (auto [function, part] : wrappers)
      parts[function] = part;
    return count;
  }

  void giveVariables() {
    for (GlobalVariable &variable : module.globals()) {
      if (!variable.hasLocalLinkage() || variable.isDeclaration())
        continue;
      auto users = usersOf(variable);
      if (users.size() == 1 && users.front())
        parts[&variable] = users.front();
    }
  }

  bool isShared(const GlobalValue &value) {
    auto users = usersOf(value);
    return !users.empty() &&
           (users.size() > 1 || users.front() != partOf(&value));
  }

  void show(GlobalValue &value) {
    if (!value.hasName())
      value.setName(globals::shared);
    value.setLinkage(GlobalValue::ExternalLinkage);
    value.setVisibility(GlobalValue::HiddenVisibility);
  }
};

} // namespace

StringMap<unsigned> cutModule(Module &module, unsigned size, unsigned &count) {
  Cutter cutter{module, size};
  count = cutter.giveFunctions();
  cutter.giveVariables();
  // Of some functions only code generation knows which parts call them.
  SmallVector<GlobalValue *> called;
  collectUsedGlobalVariables(module, called, /*CompilerUsed=*/true);
  for (GlobalValue &value : module.global_values())
    if (value.hasLocalLinkage() &&
        (is_contained(called, &value) || cutter.isShared(value)))
      cutter.show(value);
  StringMap<unsigned> byName;
  for (GlobalValue &value : module.global_values())
    if (unsigned part = cutter.partOf(&value)) {
      if (!value.hasName())
        value.setName(globals::apart);
      byName[value.getName()] = part;
    }
  return byName;
}

} // namespace weir
