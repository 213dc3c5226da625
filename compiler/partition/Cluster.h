// The machines of a cluster, as TensorFlow's ClusterSpec names them.

#ifndef WEIR_COMPILER_PARTITION_CLUSTER_H
#define WEIR_COMPILER_PARTITION_CLUSTER_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace weir {

/// A task is a process. Ports are those of TensorFlow's servers, and have no
/// meaning for MPI.
struct ClusterTask {
  std::string host, port;
};

struct ClusterJob {
  std::string name;
  std::vector<ClusterTask> tasks;
};

/// Jobs in the order of their names, as in TensorFlow; empty: one process.
using Cluster = std::vector<ClusterJob>;

/// Parses `{"worker": ["host:port", ...], ...}`, or a TF_CONFIG with that as
/// its `cluster`. An error states the fault.
llvm::Expected<Cluster> parseCluster(llvm::StringRef text);

} // namespace weir

#endif // WEIR_COMPILER_PARTITION_CLUSTER_H
