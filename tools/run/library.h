// A compiled model, opened and found without knowing its prefix.
#ifndef WEIR_TOOLS_RUN_LIBRARY_H
#define WEIR_TOOLS_RUN_LIBRARY_H

#include "runtime/weir.h"

#include "runtime/comm/info.h"
#include "runtime/profile/info.h"

struct library {
  const weir_model_info *info;
  const weir_profile_info *profile; // null: compiled without --profile
  const weir_mesh_info *mesh;       // null: compiled without --mesh
  char weights[4096]; // of the weights file beside it; empty: none needed
};

/// 0, or an exit status with a sentence in `error`: IO for a file that cannot
/// be read, FAULT for one that is no library of weir's, LIMIT.
int library_open(const char *path, struct library *library, char *error,
                 size_t size);

/// The signature of that name, `serving_default` or the first for null; -1.
int library_function(const weir_model_info *info, const char *name);

/// Whether the user's name means this tensor: its key, or its name in the model
/// with or without ":0".
int tensor_is_called(const weir_tensor_info *tensor, const char *name);

/// The tensor whose shape number `i` holds, among inputs or among outputs; -1.
int64_t whose_shape(const weir_tensor_info *tensors, uint32_t count,
                    uint32_t i);

#endif
