// Shares the work of a run among threads: the caller's pool, or the runtime's
// own.
//
// A region has `count` work items, which may run in any order and in parallel.
// They are divided into pieces, and each worker owns a range of pieces. A
// worker without pieces steals from others. So no worker waits for one that has
// not begun, because it sleeps, has no processor, or is gone after a fork: the
// caller does that work itself. The results do not depend on the thread that
// computes a work item.

#include "runtime/abi.h"
#include "runtime/libc.h"

#include <stdatomic.h>

enum {
  max_threads = 256,
  // Looks for work before a worker sleeps: one to three milliseconds, longer
  // than what runs between two regions of a model; a sleeper woken late, or on
  // its waker's core, costs more than it saves.
  patience = 60000,
  // Looks of the caller before it offers its processor to who holds it up.
  politeness = 1000,
  remaining_bits = 12,
  members_bits = 12,
  mask = (1 << remaining_bits) - 1
};

// `count` work items of `part`, divided into `pieces`, for threads with the
// caller's rounding mode.
typedef struct weir_region {
  weir_part *part;
  void *data;
  int64_t count, pieces;
  uint32_t rounding;
} weir_region;

// `left` is, from its low end: pieces left of the worker's own, how many
// threads take part, and the number of the region. A compare-and-swap that
// takes a piece thus succeeds in the region only that it has looked at, and
// only who holds a piece may read that region. Both lie on one line, which is
// the only one that must come from the caller's processor before work begins.
typedef struct weir_worker {
  _Alignas(128) _Atomic uint64_t left;
  weir_region region;
  _Alignas(128) atomic_int asleep;
  struct weir_pool *pool;
  int self;
  weir_pthread thread;
  weir_pthread_mutex mutex;
  weir_pthread_cond wake;
} weir_worker;

// What workers look at while they wait shares no line with what regions write.
struct weir_pool {
  int n, started;
  struct birth *birth;
  atomic_int stop;
  weir_cpus cpus; // that the creator may use
  // The caller's own: where it began a region last, the number of that, and
  // pieces that workers had to finish so far.
  _Alignas(128) int callers_cpu;
  uint64_t region;
  int64_t due;
  _Alignas(128) _Atomic int64_t done; // pieces that workers have finished
  weir_worker workers[];              // the first is the caller
};

// Whether a process is the one that made the pool: the child of a fork has none
// of its threads. The page is zeros in the child, from Linux 4.14 on; before it
// a run asks for the process's number.
typedef struct birth {
  int is_ours, is_wiped, process;
} birth;

static const size_t birth_bytes = (size_t)1 << 16; // the largest page

static birth *new_birth(void) {
  birth *made = mmap(NULL, birth_bytes, PROT_READ_ | PROT_WRITE_,
                     MAP_PRIVATE_ | MAP_ANONYMOUS_, -1, 0);
  if (made == (void *)-1)
    return NULL;
  made->is_ours = 1;
  made->is_wiped = !madvise(made, birth_bytes, MADV_WIPEONFORK_);
  made->process = getpid();
  return made;
}

static int is_own_process(const birth *birth) {
  return birth->is_ours && (birth->is_wiped || getpid() == birth->process);
}

static void relax(void) {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

// How the processor rounds and treats tiny numbers is each thread's own:
// workers compute as the caller does.
static uint32_t rounding_of_thread(void) {
#if defined(__x86_64__)
  return __builtin_ia32_stmxcsr() & ~0x3fu; // without what has happened so far
#elif defined(__aarch64__)
  uint64_t control;
  __asm__ volatile("mrs %0, fpcr" : "=r"(control));
  return (uint32_t)control;
#else
  return 0;
#endif
}

static void set_rounding(uint32_t rounding) {
  if (rounding == rounding_of_thread())
    return;
#if defined(__x86_64__)
  __builtin_ia32_ldmxcsr(rounding);
#elif defined(__aarch64__)
  __asm__ volatile("msr fpcr, %0" ::"r"((uint64_t)rounding));
#endif
}

// Takes and runs pieces of the `owner`'s until none is left; answers how many.
static int64_t work(weir_pool *pool, int self, int owner) {
  _Atomic uint64_t *left = &pool->workers[owner].left;
  const weir_region *region = &pool->workers[owner].region;
  int64_t ran = 0;
  uint64_t seen = atomic_load_explicit(left, memory_order_acquire);
  for (;;) {
    int64_t members = seen >> remaining_bits & mask;
    if (!(seen & mask) || self >= members)
      return ran;
    if (!atomic_compare_exchange_weak_explicit(
            left, &seen, seen - 1, memory_order_acq_rel, memory_order_acquire))
      continue;
    int64_t end = (owner + 1) * region->pieces / members;
    int64_t piece = end - (int64_t)(seen & mask);
    if (self)
      set_rounding(region->rounding);
    region->part(region->data, piece * region->count / region->pieces,
                 (piece + 1) * region->count / region->pieces, self);
    ++ran;
    --seen;
  }
}

static int has_work(weir_worker *worker, memory_order order) {
  return (atomic_load_explicit(&worker->left, order) & mask) != 0;
}

static void sleep_until_work(weir_worker *worker) {
  pthread_mutex_lock(&worker->mutex);
  // Either this sees the work or who gives it sees this.
  atomic_store(&worker->asleep, 1);
  while (!has_work(worker, memory_order_seq_cst) &&
         !atomic_load(&worker->pool->stop))
    pthread_cond_wait(&worker->wake, &worker->mutex);
  atomic_store(&worker->asleep, 0);
  pthread_mutex_unlock(&worker->mutex);
}

static void wake(weir_worker *worker) {
  pthread_mutex_lock(&worker->mutex);
  pthread_cond_signal(&worker->wake);
  pthread_mutex_unlock(&worker->mutex);
}

static void *live(void *argument) {
  weir_worker *worker = argument;
  weir_pool *pool = worker->pool;
  for (;;) {
    int looks = 0;
    while (!has_work(worker, memory_order_relaxed) && ++looks < patience &&
           !atomic_load_explicit(&pool->stop, memory_order_relaxed))
      relax();
    if (!has_work(worker, memory_order_relaxed))
      sleep_until_work(worker);
    if (atomic_load(&pool->stop))
      return NULL;
    // What is done is told before others are looked at: the caller may wait.
    for (int i = 0; i < pool->n; ++i) {
      int64_t ran = work(pool, worker->self, (worker->self + i) % pool->n);
      if (ran)
        atomic_fetch_add_explicit(&pool->done, ran, memory_order_release);
    }
  }
}

// Where every processor is busy, if only with another pool's waiting threads,
// the system may leave a worker on the caller's for tens of milliseconds, each
// waiting for the other. So workers are kept off that one, wherever it is now.
static void keep_off_caller(weir_pool *pool) {
  int cpu = sched_getcpu();
  if (cpu == pool->callers_cpu || cpu < 0 ||
      cpu >= (int)(8 * sizeof(weir_cpus)))
    return;
  pool->callers_cpu = cpu;
  if (!is_own_process(pool->birth))
    return; // a forked child has no workers
  weir_cpus others = pool->cpus;
  others.words[cpu / 64] &= ~((uint64_t)1 << cpu % 64);
  uint64_t any = 0;
  for (size_t i = 0; i < sizeof others.words / sizeof *others.words; ++i)
    any |= others.words[i];
  for (int i = 1; any && i < pool->n; ++i)
    pthread_setaffinity_np(pool->workers[i].thread, sizeof others, &others);
}

static void run_region(weir_pool *pool, int64_t members, weir_region region) {
  uint64_t number = ++pool->region << (remaining_bits + members_bits) |
                    (uint64_t)members << remaining_bits;
  for (int64_t i = 0; i < members; ++i) {
    int64_t share =
        (i + 1) * region.pieces / members - i * region.pieces / members;
    weir_worker *worker = &pool->workers[i];
    worker->region = region;
    // Either a worker that falls asleep sees its work or this sees it asleep;
    // the caller's own need not be seen at once.
    atomic_store_explicit(&worker->left, number | (uint64_t)share,
                          i ? memory_order_seq_cst : memory_order_release);
  }
  keep_off_caller(pool);
  for (int64_t i = 1; i < members; ++i) {
    weir_worker *worker = &pool->workers[i];
    if (!atomic_load(&worker->asleep))
      continue;
    // In the child of a fork nobody wakes, and a lock may be held for ever.
    if (!is_own_process(pool->birth))
      pool->n = 1;
    else
      wake(worker);
  }
  if (pool->n == 1) {
    for (int64_t i = 0; i < members; ++i)
      atomic_store(&pool->workers[i].left, 0);
    region.part(region.data, 0, region.count, 0);
    return;
  }
  int64_t own = 0;
  for (int i = 0; i < pool->n; ++i)
    own += work(pool, 0, i);
  pool->due += region.pieces - own;
  for (int looks = 0;
       atomic_load_explicit(&pool->done, memory_order_acquire) != pool->due;) {
    relax();
    if (++looks == politeness) {
      looks = 0;
      sched_yield();
    }
  }
}

int weir_team_is_inherited(const weir_team *team) {
  return team->pool && !is_own_process(team->pool->birth);
}

typedef struct shares {
  weir_part *part;
  void *data;
  int64_t members, count;
} shares;

static void run_share(void *data, int task) {
  const shares *s = data;
  s->part(s->data, task * s->count / s->members,
          (task + 1) * s->count / s->members, task);
}

void weir_parallel(const weir_team *team, int64_t count, int64_t slots,
                   int64_t each, weir_part *part, void *data) {
  int64_t members = team->threads.n;
  if (slots && members > slots)
    members = slots;
  if (members > count)
    members = count;
  if (members <= 1) {
    part(data, 0, count, 0);
  } else if (team->threads.parallel_for) {
    shares s = {part, data, members, count};
    team->threads.parallel_for(team->threads.user, (int)members, run_share, &s);
  } else {
    int64_t pieces = members * each < count ? members * each : count;
    weir_region region = {part, data, count, pieces, rounding_of_thread()};
    run_region(team->pool, members, region);
  }
}

typedef struct copy {
  char *to;
  const char *from;
  int64_t bytes;
} copy;

static const int64_t copy_item_bytes = 1 << 16;

static void copy_part(void *data, int64_t first, int64_t last, int64_t slot) {
  const copy *c = data;
  int64_t begin = first * copy_item_bytes, end = last * copy_item_bytes;
  if (end > c->bytes)
    end = c->bytes;
  (void)slot;
  memcpy(c->to + begin, c->from + begin, (size_t)(end - begin));
}

void weir_copy(const weir_team *team, void *to, const void *from,
               int64_t bytes) {
  copy c = {to, from, bytes};
  int64_t work_items = bytes / copy_item_bytes + (bytes % copy_item_bytes != 0);
  weir_parallel(team, work_items, 0, 1, copy_part, &c);
}

static int start(weir_worker *worker) {
  if (pthread_mutex_init(&worker->mutex, NULL))
    return -1;
  if (!pthread_cond_init(&worker->wake, NULL)) {
    if (!pthread_create(&worker->thread, NULL, live, worker))
      return 0;
    pthread_cond_destroy(&worker->wake);
  }
  pthread_mutex_destroy(&worker->mutex);
  return -1;
}

static weir_status start_pool(weir_team *team) {
  // A program that links no threads has none of these.
  if (!pthread_create || !pthread_join || !pthread_sigmask ||
      !pthread_setaffinity_np || !pthread_mutex_init || !pthread_cond_init)
    return WEIR_ERR_THREADS;
  int n = team->threads.n;
  size_t bytes = sizeof(weir_pool) + (size_t)n * sizeof(weir_worker);
  weir_pool *pool = aligned_alloc(_Alignof(weir_pool), bytes);
  if (!pool)
    return WEIR_ERR_MEMORY;
  memset(pool, 0, bytes);
  team->pool = pool;
  pool->n = n;
  pool->callers_cpu = -1;
  sched_getaffinity(0, sizeof pool->cpus, &pool->cpus);
  pool->birth = new_birth();
  if (!pool->birth)
    return WEIR_ERR_MEMORY;
  // Signals are the business of the program's own threads, but for those that
  // an instruction of the thread itself raises, and the profiler's.
  weir_sigset others, before;
  memset(&others, 0xff, sizeof others);
  for (const char *own = "\4\5\6\7\10\13\33"; *own; ++own)
    others.words[0] &= ~((uint64_t)1 << (*own - 1));
  if (pthread_sigmask(SIG_SETMASK_, &others, &before))
    return WEIR_ERR_THREADS;
  for (pool->started = 1; pool->started < n; ++pool->started) {
    weir_worker *worker = &pool->workers[pool->started];
    worker->pool = pool;
    worker->self = pool->started;
    if (start(worker))
      break;
  }
  pthread_sigmask(SIG_SETMASK_, &before, NULL);
  return pool->started == n ? WEIR_OK : WEIR_ERR_THREADS;
}

weir_status weir_team_create(weir_team *team, const weir_threads *wanted,
                             int by_default) {
  if (wanted)
    team->threads = *wanted;
  else
    team->threads.n = by_default;
  if (team->threads.n > max_threads)
    team->threads.n = max_threads;
  if (team->threads.n <= 1 || team->threads.parallel_for)
    return WEIR_OK;
  return start_pool(team);
}

void weir_team_destroy(weir_team *team) {
  weir_pool *pool = team->pool;
  if (!pool)
    return;
  team->pool = NULL;
  // The threads of a parent process are not the child's to end.
  if (pool->birth && is_own_process(pool->birth)) {
    atomic_store(&pool->stop, 1);
    for (int i = 1; i < pool->started; ++i) {
      weir_worker *worker = &pool->workers[i];
      wake(worker);
      pthread_join(worker->thread, NULL);
      pthread_cond_destroy(&worker->wake);
      pthread_mutex_destroy(&worker->mutex);
    }
  }
  if (pool->birth)
    munmap(pool->birth, birth_bytes);
  free(pool);
}
