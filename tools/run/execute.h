// One use of a model by weir-run, from its options to what came out.
#ifndef WEIR_TOOLS_RUN_EXECUTE_H
#define WEIR_TOOLS_RUN_EXECUTE_H

#include "runtime/weir.h"

#include "runtime/comm/info.h"
#include "tools/run/array.h"
#include "tools/run/options.h"
#include "tools/run/profile/profile.h"
#include "tools/run/report.h"
#include "tools/run/status.h"

struct run {
  struct options options;
  const weir_model_info *info;
  const char *weights;
  const weir_function_info *function;
  uint32_t index;
  struct array *arrays; // inputs, then outputs
  void **tensors;
  struct whole *files; // of outputs, to be placed
  uint32_t num_files;
  struct array state; // memory for the variables, where a journal reads them
  struct timing timing;
  struct profile profile;
  int follows; // a task of a cluster without data trains as long as the others
  char error[1024];
};

/// How weir-run runs the ranks of a library. Executables that have a model
/// inside have none of it.
struct ranks {
  /// Makes `run->info` a model that stands for all ranks, as --comm says.
  /// `mesh` is null for a library of one rank. 0, or the exit status after a
  /// message.
  int (*join)(struct run *run, const weir_mesh_info *mesh);
  /// Sets the steps of an epoch to those of all tasks of a cluster. 0, or the
  /// exit status after a message.
  int (*steps)(struct run *run, int64_t *steps);
  /// Ends the transport. With a status that is not 0 all ranks end.
  void (*end)(int status);
};
extern const struct ranks *weir_run_ranks; // null: one rank

/// Says what is wrong; gives the status.
int fail(const char *text, int status);
/// The exit status for what a call of a model answered.
int exit_status(weir_status status);
int type_error(struct run *run, const char *name, const struct array *want,
               const struct array *got);
/// The value of `NAME=VALUE` for this tensor, or null. The last one wins.
const char *given(const char **all, int count, const weir_tensor_info *tensor);
/// Dtype and shape of what a function takes or gives.
void describe(const weir_tensor_info *info, struct array *array);

/// Runs the model on what was gathered, from a checkpoint or its first values
/// and to a checkpoint. 0, or the exit status. `later` is the exit status of a
/// trace or a journal that fails; the outputs of the run are whole.
int execute(struct run *run, int *later);

#endif
