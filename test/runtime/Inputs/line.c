/* Tests the variables of a model in C: first values, steps, checkpoints, and
 * every misuse. */
#include "line.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static int failures, allocations, left = -1, denied = -1;
static float x[100], t[100];

/* The program is linked with --wrap. The process ends before the call that
 * `left` counts down to, and the call that `denied` counts down to fails. */
#define WRAP(type, name, parameters, arguments)                                \
  type __real_##name parameters;                                               \
  type __wrap_##name parameters;                                               \
  type __wrap_##name parameters {                                              \
    if (left >= 0 && left-- == 0)                                              \
      _exit(9);                                                                \
    if (denied >= 0 && denied-- == 0) {                                        \
      errno = EMFILE;                                                          \
      return (type) - 1;                                                       \
    }                                                                          \
    return __real_##name arguments;                                            \
  }
WRAP(int, open, (const char *p, int flags, unsigned mode), (p, flags, mode))
WRAP(off_t, lseek, (int f, off_t at, int whence), (f, at, whence))
WRAP(void *, mmap, (void *p, size_t n, int may, int how, int f, off_t at),
     (p, n, may, how, f, at))
WRAP(ssize_t, pread, (int f, void *p, size_t n, off_t at), (f, p, n, at))
WRAP(ssize_t, write, (int f, const void *p, size_t n), (f, p, n))
WRAP(int, fsync, (int f), (f))
WRAP(int, rename, (const char *a, const char *b), (a, b))
WRAP(int, unlink, (const char *a), (a))

void *__real_aligned_alloc(size_t align, size_t bytes);
void *__wrap_aligned_alloc(size_t align, size_t bytes);
void *__wrap_aligned_alloc(size_t align, size_t bytes) {
  ++allocations;
  return __real_aligned_alloc(align, bytes);
}

static void check(int good, const char *what) {
  if (!good)
    ++failures, printf("failed: %s\n", what);
}

static void expect(const char *what, weir_status got, weir_status want,
                   line_ctx *net, const char *text) {
  if (got == want && strstr(line_last_error(net), text))
    return;
  ++failures;
  printf("%s: status %d, not %d; '%s'\n", what, (int)got, (int)want,
         line_last_error(net));
}

static int near(double a, double b) { return fabs(a - b) <= 1e-6 * fabs(b); }

static long read_file(const char *path, char *to, long room) {
  FILE *file = fopen(path, "rb");
  long bytes = file ? (long)fread(to, 1, (size_t)room, file) : -1;
  if (file)
    fclose(file);
  return bytes;
}

static void write_file(const char *path, const char *from, long bytes) {
  FILE *file = fopen(path, "wb");
  fwrite(from, 1, (size_t)bytes, file);
  fclose(file);
}

/* A damaged file does not crash, does not pass for a checkpoint, and does not
 * change the variables. */
static void damage(line_ctx *net, const char *path, int refused) {
  static char good[4096], bad[4096];
  long bytes = read_file(path, good, sizeof good);
  check(bytes > 0, path);
  float w = *line_var_w(net);
  for (long i = 0; i < bytes; ++i)
    for (int bit = 0; bit < 9; ++bit) {
      memcpy(bad, good, (size_t)bytes);
      if (bit < 8)
        bad[i] = (char)(bad[i] ^ (1 << bit));
      write_file(path, bad, bit < 8 ? bytes : i);
      weir_status status = line_restore(net, "bad");
      if (refused && status == WEIR_OK)
        ++failures, printf("%s: taken with byte %ld, bit %d\n", path, i, bit);
      if (status != WEIR_OK && *line_var_w(net) != w)
        ++failures, printf("%s: byte %ld, bit %d changes w\n", path, i, bit);
    }
  write_file(path, good, bytes);
  check(line_restore(net, "bad") == WEIR_OK, "restored again");
}

/* If the process is killed before any of the calls, a save leaves the old or
 * the new values. */
static void kill_saves(line_ctx *net, line_ctx *other) {
  float loss;
  check(line_save(net, "killed") == WEIR_OK, "the first save");
  int calls = 0, finished = 0, olds = 0, news = 0;
  for (; !finished && calls < 1000; ++calls) {
    float before = *line_var_w(net);
    check(line_train_step(net, x, t, &loss) == WEIR_OK, "a step");
    pid_t child = fork();
    if (!child) {
      left = calls;
      _exit(line_save(net, "killed") == WEIR_OK ? 0 : 1);
    }
    int status;
    waitpid(child, &status, 0);
    finished = WIFEXITED(status) && WEXITSTATUS(status) == 0;
    check(finished || WEXITSTATUS(status) == 9, "the child's end");
    expect("after a kill", line_restore(other, "killed"), WEIR_OK, other, "");
    float w = *line_var_w(other);
    check(w == before || w == *line_var_w(net), "old or new");
    olds += w == before;
    news += w == *line_var_w(net);
    if (w == before)
      check(line_save(net, "killed") == WEIR_OK, "saved at last");
  }
  check(finished && olds > 3 && news > 1, "kills at each moment");
}

/* If any of its calls fails, a save leaves the old or the new values. This also
 * holds if the old file cannot be read. */
static void deny_saves(line_ctx *net, line_ctx *other) {
  float loss;
  check(line_save(net, "denied") == WEIR_OK, "the first save");
  int calls = 0, refused = 0, unsynced = 0;
  for (denied = -1; denied < 0 && calls < 1000; ++calls) {
    float before = *line_var_w(net);
    check(line_train_step(net, x, t, &loss) == WEIR_OK, "a step");
    denied = calls;
    weir_status status = line_save(net, "denied");
    if (denied >= 0) /* no call was left to fail */
      break;
    refused += status != WEIR_OK;
    expect("after a failure", line_restore(other, "denied"), WEIR_OK, other,
           "");
    float w = *line_var_w(other);
    /* A failure after the new index is in place does not undo it. */
    int is_written = strstr(line_last_error(net), "is written, but") != NULL;
    check(w == (status == WEIR_OK || is_written ? *line_var_w(net) : before),
          "old or new");
    unsynced += is_written;
    check(!is_written || (access("denied.data-00000-of-00001", F_OK) == 0 &&
                          access("denied.data-00000-of-00002", F_OK) == 0),
          "the data of both checkpoints");
    check(line_save(net, "denied") == WEIR_OK, "saved at last");
  }
  check(denied >= 0 && refused > 6, "failures of each call");
  check(unsynced >= 1, "a folder that cannot be synced");
  denied = 0;
  expect("of the first", line_save(net, "denied"), WEIR_ERR_IO, net,
         "cannot write checkpoint 'denied': what it would replace cannot be "
         "read");
  denied = -1;
}

/* A damaged index refers to unknown files, so a save keeps all files. */
static void save_over_damage(line_ctx *net, line_ctx *other) {
  static char index[4096], data[4096], now[4096];
  check(line_save(net, "over") == WEIR_OK, "save");
  long bytes = read_file("over.index", index, sizeof index);
  long data_bytes = read_file("over.data-00000-of-00001", data, sizeof data);
  for (int i = 0; i < 2; ++i) {
    write_file("over.index", index, i ? bytes - 9 : 20);
    expect("damaged", line_restore(other, "over"), WEIR_ERR_CHECKPOINT, other,
           i ? "its index is malformed" : "its index is not as large");
    expect("over it", line_save(net, "over"), WEIR_OK, net, "");
    expect("and back", line_restore(other, "over"), WEIR_OK, other, "");
    check(read_file("over.data-00000-of-00001", now, sizeof now) ==
                  data_bytes &&
              !memcmp(now, data, (size_t)data_bytes),
          "the data of a damaged index");
    remove("over.data-00000-of-00002");
  }
  write_file("over.index", "", 0);
  expect("empty", line_restore(other, "over"), WEIR_ERR_CHECKPOINT, other, "");
}

/* The message for a path that is too long still has the reason. */
static void long_paths(line_ctx *net) {
  char path[600];
  memset(path, 'p', 512);
  for (int i = 100; i < 512; i += 100)
    path[i] = '/';
  strcpy(path + 510, "ep");
  expect("a long path", line_restore(net, path), WEIR_ERR_IO, net, "...");
  expect("a long path", line_restore(net, path), WEIR_ERR_IO, net,
         "ep': there is none");
}

int main(void) {
  line_ctx *net = NULL, *other = NULL;
  float loss, y;
  for (int i = 0; i < 100; ++i) {
    x[i] = (float)i / 99;
    t[i] = 0.1f * x[i] + 0.3f;
  }
  check(line_create(NULL, NULL, &net) == WEIR_OK, "create");
  int before = allocations;
  expect("before init", line_predict(net, x, &y), WEIR_ERR_UNINITIALIZED, net,
         "function 'predict' uses variables");
  expect("nothing to save", line_save(net, "early"), WEIR_ERR_UNINITIALIZED,
         net, "nothing to save");
  expect("no checkpoint", line_restore(net, "nowhere"), WEIR_ERR_IO, net,
         "cannot read checkpoint 'nowhere'");
  expect("without variables", line_twice(net, &x[99], &y), WEIR_OK, net, "");
  check(y == 2, "twice");
  expect("init", line_init(net), WEIR_OK, net, "");
  expect("a step", line_train_step(net, x, t, &loss), WEIR_OK, net, "");
  check(near(loss, 0.1233501684), "loss");
  check(near(*line_var_w(net), 0.1835016835), "w");
  check(near(*line_var_b(net), 0.35), "b");
  check(*line_var_steps(net) == 1, "steps");
  for (int i = 1; i < 10; ++i)
    line_train_step(net, x, t, &loss);
  check(fabs(*line_var_w(net) - 0.1235878) < 1e-6, "w after 10");
  check(fabs(*line_var_b(net) - 0.2873578) < 1e-6, "b after 10");

  expect("save", line_save(net, "good"), WEIR_OK, net, "");
  int creating = allocations;
  _Alignas(64) static char state[LINE_STATE_BYTES + 64];
  weir_config config = WEIR_CONFIG_INIT;
  config.state = state;
  config.state_bytes = LINE_STATE_BYTES - 1;
  check(line_create(NULL, &config, &other) == WEIR_ERR_SIZE, "small state");
  config.state_bytes = sizeof state;
  config.state = state + 8;
  check(line_create(NULL, &config, &other) == WEIR_ERR_ALIGNMENT, "crooked");
  config.state = state;
  check(line_create(NULL, &config, &other) == WEIR_OK, "create with state");
  creating = allocations - creating;
  check((void *)line_var_b(other) >= (void *)state &&
            (void *)line_var_b(other) < (void *)(state + sizeof state),
        "the caller's state");
  expect("restore", line_restore(other, "good"), WEIR_OK, other, "");
  check(!memcmp(line_var_w(net), line_var_w(other), 4) &&
            !memcmp(line_var_b(net), line_var_b(other), 4) &&
            *line_var_steps(other) == 10 && line_var_seen(other)[2] == 1 &&
            line_var_seen(other)[3] == 0,
        "the same bits");
  for (int i = 10; i < 1000; ++i) {
    line_train_step(net, x, t, &loss);
    line_train_step(other, x, t, &loss);
  }
  check(!memcmp(line_var_w(net), line_var_w(other), 4), "and after 1000 steps");
  check(fabs(*line_var_w(net) - 0.1) < 1e-4 &&
            fabs(*line_var_b(net) - 0.3) < 1e-4,
        "the line");
  expect("a bad value", line_set(net, &(float){-1}), WEIR_ERR_CHECK, net,
         "node 'set': x is negative");
  check(!memcmp(line_var_w(net), line_var_w(other), 4), "nothing assigned");
  expect("overlap", line_predict(net, x, line_var_w(net)), WEIR_ERR_OVERLAP,
         net, "overlaps the variables");
  expect("save again", line_save(net, "good"), WEIR_OK, net, "");
  expect("and again", line_save(net, "good"), WEIR_OK, net, "");
  expect("no such folder", line_save(net, "no/such/folder"), WEIR_ERR_IO, net,
         "cannot write checkpoint 'no/such/folder'");
  check(line_save(NULL, "x") == WEIR_ERR_NULL, "no context");
  check(line_var_w(NULL) == NULL, "no variable");

  expect("a third", line_save(net, "bad"), WEIR_OK, net, "");
  damage(other, "bad.index", 0);
  damage(other, "bad.data-00000-of-00001", 1);
  check(allocations - before == creating, "allocates nothing");
  deny_saves(net, other);
  save_over_damage(net, other);
  long_paths(net);
  kill_saves(net, other);
  line_destroy(net);
  line_destroy(other);
  printf("%d failures\n", failures);
  return failures != 0;
}
