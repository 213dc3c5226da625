// The libraries of a cluster: one for each role, and what starts them.

#ifndef WEIR_COMPILER_PARTITION_PARTITION_H
#define WEIR_COMPILER_PARTITION_PARTITION_H

#include "compiler/Course.h"

namespace weir {

/// Compiles the modules of roles that the stage shard has left in the module of
/// the course. The files of all of them become those of the course.
Status compileRoles(Course &course);

/// Makes the names of equal tasks links to the library of the first, after the
/// libraries are written.
Status linkReplicas(const Options &options, mlir::ModuleOp module);

} // namespace weir

#endif // WEIR_COMPILER_PARTITION_PARTITION_H
