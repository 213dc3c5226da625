// Duplicates loads of broadcast factors so that instruction selection finds a
// load of its own behind each multiply-add, and folds it.
//
// Loads of one place by one address would be made one again by the selection
// DAG. So copies differ: by a hint that they are not temporal, which has no
// meaning for a broadcast, and by the pointer that they go by. Such pointers
// are variables of their loop, as an address of a base and an index would be
// taken apart from its multiply-add (Intel's optimization manual on
// un-lamination). LLVM knows nothing of that when it chooses the addresses of
// a loop, which is why this runs after it.

#include "compiler/emit/codegen/FoldBroadcasts.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/CodeGen/Passes.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace weir {
namespace {

bool isMultiplyAdd(const Instruction &op) {
  auto *call = dyn_cast<IntrinsicInst>(&op);
  if (!call || (call->getIntrinsicID() != Intrinsic::fma &&
                call->getIntrinsicID() != Intrinsic::fmuladd))
    return false;
  auto *type = dyn_cast<FixedVectorType>(op.getType());
  return type && type->getPrimitiveSizeInBits() == 512 &&
         (type->getElementType()->isFloatTy() ||
          type->getElementType()->isDoubleTy());
}

/// One element for all lanes of several multiply-adds.
struct Broadcast {
  Instruction *splat;
  LoadInst *load;
  const SCEVAddRecExpr *address;
  SmallVector<Instruction *, 4> users;
};

/// A loop of one block.
struct FoldLoop {
  Loop &loop;
  ScalarEvolution &evolution;
  BasicBlock *block = loop.getHeader();
  size_t products = 0, loads = 0;
  SmallVector<Broadcast> broadcasts = {};
  SmallVector<PHINode *, 2> pointers = {};

  std::optional<Broadcast> broadcastOf(Instruction &op) {
    Value *scalar;
    if (!match(&op, m_Shuffle(m_OneUse(m_InsertElt(m_Value(), m_Value(scalar),
                                                   m_ZeroInt())),
                              m_Value(), m_ZeroMask())))
      return std::nullopt;
    auto *load = dyn_cast<LoadInst>(scalar);
    if (!load || !load->isSimple() || load->getParent() != block ||
        !load->hasOneUse())
      return std::nullopt;
    auto *address =
        dyn_cast<SCEVAddRecExpr>(evolution.getSCEV(load->getPointerOperand()));
    if (!address || address->getLoop() != &loop || !address->isAffine())
      return std::nullopt;
    Broadcast found = {&op, load, address, {}};
    for (User *user : op.users()) {
      auto *product = cast<Instruction>(user);
      if (!isMultiplyAdd(*product) || product->getParent() != block ||
          product->getOperand(2) == &op)
        return std::nullopt;
      found.users.push_back(product);
    }
    return found;
  }

  void read() {
    for (Instruction &op : *block) {
      products += isMultiplyAdd(op);
      loads += isa<LoadInst>(op);
      if (auto found = broadcastOf(op))
        if (found->users.size() > 1 && found->users.size() <= 4)
          broadcasts.push_back(std::move(*found));
    }
  }

  // A pointer that is `address` in each iteration.
  PHINode *variable(const SCEVAddRecExpr *address) {
    BasicBlock *before = loop.getLoopPreheader();
    SCEVExpander expander(evolution, block->getDataLayout(), "broadcast");
    Value *start = expander.expandCodeFor(
        address->getStart(), address->getType(), before->getTerminator());
    IRBuilder<> b(block, block->begin());
    PHINode *at = b.CreatePHI(address->getType(), 2);
    b.SetInsertPoint(block->getTerminator());
    auto *step = cast<SCEVConstant>(address->getStepRecurrence(evolution));
    at->addIncoming(start, before);
    at->addIncoming(b.CreatePtrAdd(at, step->getValue()), block);
    return at;
  }

  // Each user gets its own load, `distance` bytes from where `base` points.
  void fold(const Broadcast &broadcast, const SCEVAddRecExpr *base,
            ConstantInt *distance) {
    auto lanes = cast<FixedVectorType>(broadcast.splat->getType());
    for (auto [i, user] : enumerate(broadcast.users)) {
      if (pointers.size() <= i / 2)
        pointers.push_back(variable(base));
      IRBuilder<> b(user);
      LoadInst *load = b.CreateAlignedLoad(
          broadcast.load->getType(), b.CreatePtrAdd(pointers[i / 2], distance),
          broadcast.load->getAlign());
      if (i % 2)
        load->setMetadata(LLVMContext::MD_nontemporal,
                          MDNode::get(b.getContext(),
                                      ConstantAsMetadata::get(b.getInt32(1))));
      user->replaceUsesOfWith(
          broadcast.splat, b.CreateVectorSplat(lanes->getNumElements(), load));
    }
  }

  bool run() {
    read();
    // Beside two multiply-adds there is time for two loads in a cycle; where
    // these are more than seven for ten, they are in each other's way.
    size_t most = products * 7 / 10;
    if (broadcasts.size() < 2 || loads >= most)
      return false;
    const SCEVAddRecExpr *base = broadcasts.front().address;
    if (!isa<SCEVConstant>(base->getStepRecurrence(evolution)))
      return false;
    size_t each = broadcasts.front().users.size() - 1;
    size_t count = std::min((most - loads) / each, broadcasts.size());
    for (size_t i = 0; i < count; ++i) {
      // Evenly among the others.
      size_t place = (2 * i + 1) * broadcasts.size() / (2 * count);
      // What is a distance away that only the run knows stays.
      if (auto *distance = dyn_cast<SCEVConstant>(
              evolution.getMinusSCEV(broadcasts[place].address, base)))
        fold(broadcasts[place], base, distance->getValue());
    }
    return !pointers.empty();
  }
};

struct FoldBroadcasts : FunctionPass {
  static char ID;
  FoldBroadcasts() : FunctionPass(ID) {}

  StringRef getPassName() const override { return "Fold broadcasts"; }
  void getAnalysisUsage(AnalysisUsage &usage) const override {
    usage.addRequired<LoopInfoWrapperPass>();
    usage.addRequired<ScalarEvolutionWrapperPass>();
  }

  bool runOnFunction(Function &function) override {
    auto &evolution = getAnalysis<ScalarEvolutionWrapperPass>().getSE();
    bool changed = false;
    for (Loop *loop :
         getAnalysis<LoopInfoWrapperPass>().getLoopInfo().getLoopsInPreorder())
      if (loop->getNumBlocks() == 1 && loop->getLoopPreheader())
        changed |= FoldLoop{*loop, evolution}.run();
    return changed;
  }
};

char FoldBroadcasts::ID = 0;

} // namespace

void addFoldBroadcasts(TargetPassConfig &passes) {
  std::unique_ptr<Pass> last(createCodeGenPrepareLegacyPass());
  passes.insertPass(last->getPassID(), new FoldBroadcasts());
}

} // namespace weir
