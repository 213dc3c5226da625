// Reads arbitrary bytes as a checkpoint that a compiled model restores: a
// length of three bytes, the index, and its only shard. Checksums are those of
// checksum.c, so a mutation does not make them invalid.
//
// Save can write a valid checkpoint again, and restore reads it. Mutations
// begin with the output of save, because a corpus may be empty, and random
// bytes never match an index's eight last bytes.

#include "runtime/abi.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// A context ends with a number for each variable.
enum {
  STATE_BYTES = 256,
  SAVED_MOST = 1024, // the output of save for this model is smaller
  CONTEXT_BYTES =
      (sizeof(weir_context) + 4 * sizeof(uint32_t) + WEIR_ALIGN - 1) /
      WEIR_ALIGN * WEIR_ALIGN
};
static const int64_t matrix[] = {2, 3}, flags[] = {5}, none[] = {4, 0};
static const weir_variable_info variables[] = {
    {"flags", "flags", WEIR_BOOL, 1, flags, 5, 5, 0},
    {"layer/matrix", "layer/matrix", WEIR_F32, 2, matrix, 6, 24, 64},
    {"layer/none", "layer/none", WEIR_F64, 2, none, 0, 0, 128},
    {"step", "step", WEIR_I64, 0, NULL, 1, 8, 192}};
// The matrix is rows 2 and 3 of a tensor of four.
static const int64_t rows[] = {4, 3}, begin[] = {2, 0};
static const uint8_t key[] = "\0layer/matrix\0\1\1\2\x82\x82\x80\x83",
                     whole[] = "\x12\x08\x12\x02\x08\x04\x12\x02\x08\x03"
                               "\x3a\x0a\x0a\x04\x08\x02\x10\x02\x0a\x02\x10"
                               "\x03";
static const weir_slice slices[4] = {
    [1] = {rows, begin, key, sizeof key - 1, whole, sizeof whole - 1}};
static weir_entry *const entries[] = {NULL};
static const weir_level level = {entries, {0}};
static const weir_model_info info = {.abi_version = WEIR_ABI_VERSION,
                                     .context_bytes = CONTEXT_BYTES,
                                     .threads = 1,
                                     .num_levels = 1,
                                     .state_bytes = STATE_BYTES,
                                     .num_variables = 4,
                                     .variables = variables};
static const weir_model model = {
    .info = &info, .levels = &level, .slices = slices};

static char first[64], second[64];

static void put(const char *prefix, const char *ending, const uint8_t *bytes,
                size_t count) {
  char path[128];
  snprintf(path, sizeof path, "%s%s", prefix, ending);
  FILE *file = fopen(path, "wb");
  if (!file || fwrite(bytes, 1, count, file) != count || fclose(file))
    abort();
}

static void remove_all(void) {
  const char *const endings[] = {".index", ".data-00000-of-00001",
                                 ".data-00000-of-00002"};
  for (int i = 0; i < 6; ++i) {
    char path[128];
    snprintf(path, sizeof path, "%s%s", i < 3 ? first : second, endings[i % 3]);
    unlink(path);
  }
}

static weir_context *make(void) {
  weir_context *context;
  if (weir_model_create(&model, NULL, NULL, &context))
    abort();
  return context;
}

int LLVMFuzzerInitialize(int *argc, char ***argv) {
  (void)argc, (void)argv;
  const char *folder = access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm";
  snprintf(first, sizeof first, "%s/weir-fuzz-%d-a", folder, (int)getpid());
  snprintf(second, sizeof second, "%s/weir-fuzz-%d-b", folder, (int)getpid());
  atexit(remove_all);
  return 0;
}

/// Appends a file's bytes, if they fit; returns how many there are.
static size_t get(const char *ending, uint8_t *bytes, size_t room) {
  char path[128];
  snprintf(path, sizeof path, "%s%s", first, ending);
  FILE *file = fopen(path, "rb");
  size_t count = file ? fread(bytes, 1, room, file) : 0;
  if (!file || (count == room && fgetc(file) != EOF) || fclose(file))
    abort();
  return count;
}

/// The output of save for variables that are all 0, as an input.
static size_t write_saved(uint8_t *data, size_t size) {
  remove_all(); // an existing checkpoint determines the name of the shard
  weir_context *context = make();
  context->initialized = 1;
  if (weir_model_save(&model, context, first))
    abort();
  weir_model_destroy(&model, context);
  size_t index = get(".index", data + 3, size - 3);
  for (int i = 0; i < 3; ++i)
    data[i] = (uint8_t)(index >> (16 - 8 * i));
  size_t shard =
      get(".data-00000-of-00001", data + 3 + index, size - 3 - index);
  return 3 + index + shard;
}

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most,
                               unsigned seed) {
  (void)seed;
  if (size < 3 && most >= SAVED_MOST)
    return write_saved(data, most);
  return LLVMFuzzerMutate(data, size, most);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size < 3)
    return 0;
  size_t index = (size_t)data[0] << 16 | (size_t)data[1] << 8 | data[2];
  data += 3;
  size -= 3;
  if (index > size)
    index = size;
  put(first, ".index", data, index);
  put(first, ".data-00000-of-00001", data + index, size - index);
  weir_context *context = make(), *other = make();
  if (!weir_model_restore(&model, context, first)) {
    // The bytes between the variables belong to none.
    if (weir_model_save(&model, context, second) ||
        weir_model_restore(&model, other, second) ||
        memcmp(weir_model_state(&model, context),
               weir_model_state(&model, other), STATE_BYTES))
      abort();
  }
  // Save reads the old checkpoint to distinguish it from its own output.
  weir_status status = weir_model_save(&model, other, first);
  if (status && status != WEIR_ERR_UNINITIALIZED && status != WEIR_ERR_IO)
    abort();
  weir_model_destroy(&model, context);
  weir_model_destroy(&model, other);
  return 0;
}
