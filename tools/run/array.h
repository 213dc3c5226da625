// Tensors of a run: dtype, shape and bytes, and how they are read and written.
#ifndef WEIR_TOOLS_RUN_ARRAY_H
#define WEIR_TOOLS_RUN_ARRAY_H

#include "runtime/weir.h"
#include "tools/run/file/whole.h"

#include <stddef.h>
#include <stdint.h>

enum { MAX_RANK = 64 };

struct array {
  weir_dtype dtype;
  int rank;
  int64_t shape[MAX_RANK];
  int64_t elements;
  size_t bytes;
  void *data;    // aligned to 64; the array's own
  void *mapping; // of a file, in which the data is
  size_t mapped;
};

/// Allocates zeroed data for dtype and shape. 0, FAULT for a size that no
/// memory has, or LIMIT.
int array_allocate(struct array *array);
void array_free(struct array *array);

size_t dtype_bytes(weir_dtype dtype);
const char *dtype_name(weir_dtype dtype); // "f32"
/// 0 and the dtype, or -1 if there is none of that name.
int dtype_of_name(const char *name, size_t length, weir_dtype *dtype);

double array_get(const struct array *array, int64_t index);
void array_set(struct array *array, int64_t index, double value);

/// "2x3xf32", "f32" for a scalar.
void array_type_text(const struct array *array, char *text, size_t size);

/// Reads a .npy file. 0, or an exit status with a sentence in `error`: IO for
/// one that cannot be read, FAULT for one that is not as it should be, LIMIT.
int npy_read(const char *path, struct array *array, char *error, size_t size);
/// As above without a copy: `data` is in a read-only mapping that `array_unmap`
/// ends. Booleans have any bytes, as in the file.
int npy_map(const char *path, struct array *array, char *error, size_t size);
void array_unmap(struct array *array);
/// Writes one, which `whole_place` gives its name. 0, or an exit status with
/// `error`.
int npy_write(struct whole *to, const char *path, const struct array *array,
              char *error, size_t size);

/// Parses "2x3xf32=1,2,3,4,5,6"; one value fills all. 0, or an exit status with
/// `error`.
int value_parse(const char *text, struct array *array, char *error,
                size_t size);
/// Parses "1,2,3" for an array of a known type and shape, likewise.
int value_fill(const char *text, struct array *array, char *error, size_t size);
/// SplitMix64: every seed begins a good sequence.
uint64_t random_next(uint64_t *state);
/// Numbers in [-1, 1), or small integers, the same for a seed on any machine.
void value_random(struct array *array, uint64_t seed);

/// The number of elements of two arrays of one type that differ: floats with
/// |a - b| > atol + rtol * |b|, and all integers that are not equal. `worst` is
/// the text of the largest difference, which is exact for integers.
int64_t array_compare(const struct array *got, const struct array *want,
                      double rtol, double atol, char *worst, size_t size);

#endif
