// Counts the calls and the time of tasks, and keeps the events of a trace. Only
// libraries that are compiled with --profile have this code.

#include "runtime/profile/profile.h"
#include "runtime/call.h"
#include "runtime/libc.h"

const size_t weir_profile_bytes = sizeof(weir_profile);

static uint64_t nanoseconds(void) {
  weir_timespec now = {0, 0};
  clock_gettime(CLOCK_MONOTONIC_, &now);
  return (uint64_t)now.seconds * 1000000000u + (uint64_t)now.nanoseconds;
}

// Takes half the time of clock_gettime (20 to 30 ns on an AMD EPYC under KVM),
// which counts for small tasks.
static uint64_t ticks(void) {
#if defined(__x86_64__)
  return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
  uint64_t now;
  __asm__ volatile("mrs %0, cntvct_el0" : "=r"(now));
  return now;
#else
  return nanoseconds();
#endif
}

// A processor's clock may be a little behind that of another one.
static uint64_t since(uint64_t from, uint64_t to) {
  return to > from ? to - from : 0;
}

static weir_profile *profile_in(weir_context *context) {
  const weir_profile_model *model = (const weir_profile_model *)context->model;
  return (weir_profile *)((char *)context + model->at);
}

// An entry has only the address of the context's team.
static weir_profile *profile_of(const weir_team *team) {
  return profile_in(
      (weir_context *)((char *)team - offsetof(weir_context, team)));
}

void weir_profile_begin(const weir_team *team) {
  weir_profile *profile = profile_of(team);
  profile->scale = 0;
  profile->last = profile->begun = ticks();
}

__attribute__((noinline)) void weir_profile_task_end(const weir_team *team,
                                                     uint32_t task) {
  weir_profile *profile = profile_of(team);
  uint64_t now = ticks();
  weir_profile_slot *slot = &profile->slots[task];
  ++slot->calls;
  slot->ticks += since(profile->last, now);
  if (profile->trace)
    weir_profile_note(
        profile, 0,
        (weir_profile_event){profile->last, now, task, WEIR_PROFILE_TASK});
  profile->last = now;
}

void weir_profile_end(const weir_team *team, uint32_t function) {
  weir_profile *profile = profile_of(team);
  uint64_t now = ticks();
  profile->ticks += since(profile->begun, now);
  ++profile->runs;
  if (profile->trace)
    weir_profile_note(
        profile, 0,
        (weir_profile_event){profile->begun, now, function, WEIR_PROFILE_RUN});
}

typedef struct traced {
  weir_profile *profile;
  weir_part *part;
  void *data;
  uint32_t task;
} traced;

static void run_chunk(void *data, int64_t first, int64_t last, int64_t slot) {
  const traced *t = data;
  uint32_t lane = (uint32_t)slot;
  uint64_t begin = ticks();
  weir_profile_lane_of(t->profile, lane)->begin = begin;
  t->part(t->data, first, last, slot);
  uint64_t end = ticks();
  weir_profile_note(
      t->profile, lane,
      (weir_profile_event){begin, end, t->task, WEIR_PROFILE_CHUNK});
  weir_profile_lane_of(t->profile, lane)->end = end;
}

__attribute__((noinline)) void
weir_profile_chunk_end(const weir_team *team, int64_t slot, uint32_t task) {
  weir_profile *profile = profile_of(team);
  if (!profile->trace)
    return;
  weir_profile_lane *lane = weir_profile_lane_of(profile, (uint32_t)slot);
  uint64_t now = ticks();
  weir_profile_note(
      profile, (uint32_t)slot,
      (weir_profile_event){lane->begin, now, task, WEIR_PROFILE_CHUNK});
  lane->begin = now;
}

__attribute__((noinline)) void
weir_profile_parallel(const weir_team *team, int64_t count, int64_t slots,
                      int64_t each, weir_part *part, void *data,
                      uint32_t task) {
  weir_profile *profile = profile_of(team);
  int64_t members = team->threads.n; // as weir_parallel counts them
  if (slots && members > slots)
    members = slots;
  if (members > count)
    members = count;
  if (members > 1 && profile->trace && weir_team_is_inherited(team))
    members = 1;
  if (!profile->trace || members <= 1) {
    if (profile->trace)
      weir_profile_lane_of(profile, 0)->begin = profile->last;
    weir_parallel(team, count, slots, each, part, data);
    return;
  }
  traced t = {profile, part, data, task};
  uint64_t begin = ticks();
  weir_parallel(team, count, slots, each, run_chunk, &t);
  uint64_t end = ticks();
  for (uint32_t i = 0; i < (uint32_t)members; ++i) {
    uint64_t from = weir_profile_lane_of(profile, i)->end;
    if (from < begin)
      from = begin; // the thread came too late for a chunk
    if (from < end)
      weir_profile_note(
          profile, i, (weir_profile_event){from, end, task, WEIR_PROFILE_WAIT});
  }
}

// The time on both clocks. An interrupt may come between their readings: of a
// few attempts, the shortest counts.
static weir_profile_moment moment(void) {
  enum { ATTEMPTS = 4 };
  weir_profile_moment best = {0, 0};
  uint64_t shortest = UINT64_MAX;
  for (int i = 0; i < ATTEMPTS; ++i) {
    uint64_t before = ticks(), ns = nanoseconds();
    uint64_t length = since(before, ticks());
    if (length >= shortest)
      continue;
    shortest = length;
    best = (weir_profile_moment){before + length / 2, ns};
  }
  return best;
}

static void clear(const weir_profile_model *model, weir_profile *profile) {
  profile->runs = profile->ticks = 0;
  profile->start = moment();
  profile->scale = 0;
  memset(profile->slots, 0, (size_t)model->num_tasks * sizeof *profile->slots);
  for (uint32_t i = 0; profile->trace && i < profile->lanes; ++i)
    *weir_profile_lane_of(profile, i) = (weir_profile_lane){0, 0, 0};
}

weir_status weir_profile_create(const weir_profile_model *model, void *memory,
                                const weir_config *config, weir_context **out) {
  weir_status status = weir_model_create(&model->model, memory, config, out);
  if (status)
    return status;
  weir_profile *profile = profile_in(*out);
  memset(profile, 0, sizeof *profile);
  clear(model, profile);
  return WEIR_OK;
}

static weir_status begin(const weir_profile_model *model,
                         weir_context *context) {
  if (!context)
    return WEIR_ERR_NULL;
  if (!weir_model_alive(&model->model, context))
    return WEIR_ERR_CONTEXT;
  weir_status status = weir_begin_call(context);
  if (!status)
    context->message[0] = 0;
  return status;
}

// The number of the variant that create has chosen.
static uint32_t number_of_level(const weir_profile_model *model,
                                const weir_context *context) {
  uint32_t i = 0;
  while (i + 1 < model->model.info->num_levels &&
         model->model.levels[i].entries != context->entries)
    ++i;
  return i;
}

static const weir_profile_level *level_of(const weir_profile_model *model,
                                          const weir_context *context) {
  return &model->levels[number_of_level(model, context)];
}

weir_status weir_profile_tasks(const weir_profile_model *model,
                               weir_context *context,
                               const weir_profile_task **tasks,
                               uint32_t *count) {
  weir_status status = begin(model, context);
  if (status)
    return status;
  if (!tasks || !count)
    return weir_end_call(
        context, WEIR_FAIL(context, WEIR_ERR_NULL, "tasks or count is null"));
  const weir_profile_level *level = level_of(model, context);
  *tasks = level->tasks;
  *count = (uint32_t)level->num_tasks;
  return weir_end_call(context, WEIR_OK);
}

// How many nanoseconds a tick is, by the time since the counts were cleared. A
// shorter time than a millisecond is no measure: the function waits until then.
// The scale stays the same until the next run, so that lanes agree.
static double scale_of(weir_profile *profile) {
  enum { SHORTEST_NS = 1000000 };
  if (profile->scale > 0)
    return profile->scale;
  weir_profile_moment now = moment();
  while (since(profile->start.nanoseconds, now.nanoseconds) < SHORTEST_NS)
    now = moment();
  uint64_t passed = since(profile->start.ticks, now.ticks);
  uint64_t ns = since(profile->start.nanoseconds, now.nanoseconds);
  profile->scale = passed ? (double)ns / (double)passed : 1;
  return profile->scale;
}

static uint64_t scaled(uint64_t count, double scale) {
  return (uint64_t)((double)count * scale);
}

weir_status weir_profile_read(const weir_profile_model *model,
                              weir_context *context, weir_profile_time *times,
                              uint32_t count, weir_profile_runs *runs) {
  weir_status status = begin(model, context);
  if (status)
    return status;
  if (count != level_of(model, context)->num_tasks)
    return weir_end_call(context,
                         WEIR_FAIL(context, WEIR_ERR_SIZE,
                                   "the profile has another number of tasks"));
  if (!times && count)
    return weir_end_call(context,
                         WEIR_FAIL(context, WEIR_ERR_NULL, "times is null"));
  weir_profile *profile = profile_in(context);
  double scale = scale_of(profile);
  for (uint32_t i = 0; i < count; ++i) {
    times[i].calls = profile->slots[i].calls;
    times[i].nanoseconds = scaled(profile->slots[i].ticks, scale);
  }
  int threads = context->team.threads.n;
  if (runs)
    *runs = (weir_profile_runs){profile->runs, scaled(profile->ticks, scale),
                                threads > 1 ? (uint32_t)threads : 1,
                                model->model.info->num_levels
                                    ? number_of_level(model, context) + 1
                                    : 0,
                                0, 0};
  return weir_end_call(context, WEIR_OK);
}

weir_status weir_profile_reset(const weir_profile_model *model,
                               weir_context *context) {
  weir_status status = begin(model, context);
  if (status)
    return status;
  clear(model, profile_in(context));
  return weir_end_call(context, WEIR_OK);
}

weir_status weir_profile_trace(const weir_profile_model *model,
                               weir_context *context,
                               weir_profile_event *memory, uint64_t count) {
  weir_status status = begin(model, context);
  if (status)
    return status;
  weir_profile *profile = profile_in(context);
  int threads = context->team.threads.n;
  uint32_t lanes = threads > 1 ? (uint32_t)threads : 1;
  profile->trace = NULL;
  if (!memory || !count)
    return weir_end_call(context, WEIR_OK);
  if (count / lanes < 2)
    return weir_end_call(context,
                         WEIR_FAIL(context, WEIR_ERR_SIZE,
                                   "a trace needs two events for each thread"));
  profile->trace = memory;
  profile->lanes = lanes;
  profile->size = count / lanes;
  for (uint32_t i = 0; i < lanes; ++i)
    *weir_profile_lane_of(profile, i) = (weir_profile_lane){0, 0, 0};
  profile->origin = ticks();
  return weir_end_call(context, WEIR_OK);
}

weir_status weir_profile_events(const weir_profile_model *model,
                                weir_context *context, uint32_t number,
                                weir_profile_event *to, uint64_t *count) {
  weir_status status = begin(model, context);
  if (status)
    return status;
  weir_profile *profile = profile_in(context);
  if (!count || (*count && !to))
    return weir_end_call(
        context, WEIR_FAIL(context, WEIR_ERR_NULL, "events or count is null"));
  if (!profile->trace || number >= profile->lanes)
    return weir_end_call(context, WEIR_FAIL(context, WEIR_ERR_SIZE,
                                            "the trace has no such lane"));
  const weir_profile_lane *lane = weir_profile_lane_of(profile, number);
  const weir_profile_event *kept = (const weir_profile_event *)(lane + 1);
  uint64_t room = profile->size - 1;
  uint64_t copied = lane->written < room ? lane->written : room;
  copied = copied < *count ? copied : *count;
  double scale = scale_of(profile);
  for (uint64_t i = 0; i < copied; ++i) {
    to[i] = kept[(lane->written - copied + i) % room];
    to[i].begin = scaled(since(profile->origin, to[i].begin), scale);
    to[i].end = scaled(since(profile->origin, to[i].end), scale);
  }
  *count = copied;
  return weir_end_call(context, WEIR_OK);
}
