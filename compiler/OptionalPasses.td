// The table of optional passes, for optional/PassLimit.cpp.

include "llvm/TableGen/SearchableTable.td"
include "passes/bufferize/Passes.td"
include "passes/cpu/Passes.td"
include "passes/cpu/loops/Passes.td"
include "passes/cpu/schedule/Passes.td"
include "passes/fuse/Passes.td"
include "passes/graph/Passes.td"
include "passes/graph/layout/Passes.td"
include "passes/lower/Passes.td"
include "passes/lower/libraries/Passes.td"
include "passes/plan/Passes.td"
include "passes/shard/Passes.td"

// Passes of MLIR.
class Foreign<string flag> : Optional {
  string argument = flag;
}
def Canonicalize : Foreign<"canonicalize">;
def CommonSubexpressions : Foreign<"cse">;
def ElementwiseFusion : Foreign<"linalg-fuse-elementwise-ops">;
def LoopInvariants : Foreign<"loop-invariant-code-motion">;

def OptionalPasses : GenericTable {
  let FilterClass = "Optional";
  let CppTypeName = "OptionalPass";
  let Fields = ["argument"];
}
