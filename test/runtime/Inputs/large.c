/* Tests large arenas and states, with a table in C. They are zeros, all pages
 * exist when create returns, and none after destroy. This holds with huge
 * pages, without them, and if the system refuses them. Large weights are
 * advised. */
#define _DEFAULT_SOURCE
#include "runtime/abi.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { ARENA = (9 << 20) + 64, STATE = (4 << 20) + 4160 };

static int failures, no_populate, no_more;
static char weights[5 << 20];
static const char *advised, *advised_end; // of the weights: large pages

static void check(int good, const char *what) {
  if (!good)
    ++failures, puts(what);
}

int __real_madvise(void *at, size_t bytes, int advice);
int __wrap_madvise(void *at, size_t bytes, int advice);
int __wrap_madvise(void *at, size_t bytes, int advice) {
  const char *from = at;
  if (advice == 14 && from >= weights && from < weights + sizeof weights)
    advised = from, advised_end = from + bytes;
  return no_populate && advice == 23 ? -1 : __real_madvise(at, bytes, advice);
}

void *__real_mmap(void *at, size_t bytes, int protection, int flags, int file,
                  off_t offset);
void *__wrap_mmap(void *at, size_t bytes, int protection, int flags, int file,
                  off_t offset);
void *__wrap_mmap(void *at, size_t bytes, int protection, int flags, int file,
                  off_t offset) {
  if (no_more && no_more-- == 1)
    return MAP_FAILED;
  return __real_mmap(at, bytes, protection, flags, file, offset);
}

static weir_model_info info;

static int32_t entry(void *arena, const void *weights, void *const *tensors,
                     const weir_team *team, void *state) {
  (void)weights, (void)tensors, (void)team;
  memset(arena, 1, ARENA);
  memset(state, 1, info.state_bytes);
  return 0;
}

static const weir_function_info function = {"f", "f", 0, 0, NULL, NULL};
static weir_model_info info = {.abi_version = WEIR_ABI_VERSION,
                               .num_functions = 1,
                               .functions = &function,
                               .arena_bytes = ARENA,
                               .state_bytes = STATE,
                               .weights_bytes = sizeof weights,
                               .num_levels = 1};
static weir_entry *const entries[] = {entry};
static weir_level levels[1] = {{entries, {0}}};
static const void *const lies_at = weights;
static weir_model model = {&info, levels, NULL, 0,   &lies_at,
                           0,     NULL,   NULL, NULL};

static int all_there(const char *from, size_t bytes) {
  static unsigned char pages[4096];
  size_t page = (size_t)sysconf(_SC_PAGESIZE), before = (uintptr_t)from % page,
         count = (before + bytes + page - 1) / page;
  if (count > sizeof pages ||
      mincore((void *)(from - before), before + bytes, pages))
    return 0;
  for (size_t i = 0; i < count; ++i)
    if (!(pages[i] & 1))
      return 0;
  return 1;
}

static int all_zero(const char *from, size_t bytes) {
  return !from[0] && !memcmp(from, from + 1, bytes - 1);
}

static long mapped(void) {
  FILE *file = fopen("/proc/self/statm", "r");
  long pages = 0;
  if (!file || fscanf(file, "%ld", &pages) != 1)
    check(0, "/proc/self/statm cannot be read");
  if (file)
    fclose(file);
  return pages;
}

static void once(void) {
  weir_context *net = NULL;
  check(!weir_model_create(&model, NULL, NULL, &net), "create");
  const char *arena = net->arena, *state = net->state;
  check((uintptr_t)arena % (2 << 20) == 0, "an arena begins a large page");
  check(all_there(arena, ARENA) && all_there(state, info.state_bytes),
        "pages are there before a run");
  check(all_zero(arena, ARENA) && all_zero(state, info.state_bytes), "zeros");
  check(!weir_model_run(&model, net, 0, NULL, 0), "run");
  weir_model_destroy(&model, net);
}

int main(void) {
  info.context_bytes = (weir_context_bytes + 63) / 64 * 64;
  size_t limit = 2 << 20;
  for (info.state_bytes = limit - 64; info.state_bytes <= limit + 64;
       info.state_bytes += 64)
    once();
  info.state_bytes = STATE;
  once();
  check(advised && (uintptr_t)advised % 4096 == 0 &&
            advised < weights + (1 << 16) &&
            advised_end <= weights + sizeof weights &&
            advised_end > weights + sizeof weights - (1 << 16),
        "weights are to lie in large pages");
  long before = mapped();
  for (no_populate = 0; no_populate < 2; ++no_populate)
    for (int i = 0; i < 3; ++i)
      once();
  check(mapped() == before, "destroy gives all back");
  for (int refused = 1; refused <= 2; ++refused) {
    weir_context *net = NULL;
    no_more = refused;
    check(weir_model_create(&model, NULL, NULL, &net) == WEIR_ERR_MEMORY &&
              !net,
          "memory that is refused");
    no_more = 0;
  }
  check(mapped() == before, "a failure gives all back");
  printf("%d failures\n", failures);
  return failures != 0;
}
