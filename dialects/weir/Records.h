// The records among the attributes that stages communicate by.

#ifndef WEIR_DIALECTS_WEIR_RECORDS_H
#define WEIR_DIALECTS_WEIR_RECORDS_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"

namespace weir {
/// Tasks of a cluster that run one program.
struct ClusterRole {
  std::string name;     // "ps-0"; of replicas the job's: "worker"
  int64_t first, count; // ranks
  unsigned index;       // in the list of roles
};
} // namespace weir

#define GET_ATTRDEF_CLASSES
#include "dialects/weir/Records.h.inc"

#endif // WEIR_DIALECTS_WEIR_RECORDS_H
