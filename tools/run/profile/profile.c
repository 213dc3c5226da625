// Has a library count its tasks, and reads the counts.

#define _POSIX_C_SOURCE 200809L
#include "tools/run/profile/profile.h"
#include "tools/run/execute.h"
#include "tools/run/file/whole.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/// The events of a thread that a trace keeps unless the options tell.
static const long usual_events = 16384;

static int is_wanted(const struct run *run) {
  return run->options.profile || run->options.trace;
}

static int said(struct run *run, void *context, weir_status status) {
  return fail(run->info->last_error(context), exit_status(status));
}

int profile_open(struct run *run, void *context) {
  struct profile *profile = &run->profile;
  if (!is_wanted(run))
    return 0;
  if (!profile->info) {
    snprintf(run->error, sizeof run->error,
             "%s: the library has no profile: compile it with weir compile "
             "--profile",
             run->options.profile ? "--profile" : "--trace");
    return fail(run->error, FAULT);
  }
  weir_status status =
      profile->info->tasks(context, &profile->tasks, &profile->count);
  if (status)
    return said(run, context, status);
  profile->times = calloc((size_t)profile->count + 1, sizeof *profile->times);
  if (!profile->times)
    return fail("not enough memory for the profile", LIMIT);
  status = profile->info->read(context, profile->times, profile->count,
                               &profile->runs);
  if (status)
    return said(run, context, status);
  if (!run->options.trace)
    return 0;
  long events =
      run->options.trace_events ? run->options.trace_events : usual_events;
  // A lane has a head, and one event more, which tells whether any is lost.
  profile->events = ((uint64_t)events + 2) * profile->runs.threads;
  profile->memory = calloc(profile->events, sizeof *profile->memory);
  return profile->memory ? 0 : fail("not enough memory for the trace", LIMIT);
}

weir_status profile_begin(struct run *run, void *context) {
  struct profile *profile = &run->profile;
  if (!is_wanted(run))
    return WEIR_OK;
  weir_status status = profile->info->reset(context);
  profile->has_begun = !status;
  return status || !profile->memory
             ? status
             : profile->info->trace(context, profile->memory, profile->events);
}

static int cannot_write(struct run *run, const char *option, const char *path) {
  snprintf(run->error, sizeof run->error, "%s: cannot write '%.800s': %s",
           option, path, strerror(errno));
  return fail(run->error, IO);
}

/// Copies the events of all lanes. 0, or the exit status.
static int read_lanes(struct run *run, void *context,
                      weir_profile_event **lanes, uint64_t *counts) {
  struct profile *profile = &run->profile;
  uint64_t room = profile->events / profile->runs.threads - 1, kept = room - 1;
  int is_full = 0;
  for (uint32_t i = 0; i < profile->runs.threads; ++i) {
    lanes[i] = calloc(room, sizeof **lanes);
    if (!lanes[i])
      return fail("not enough memory for the trace", LIMIT);
    counts[i] = room;
    weir_status status =
        profile->info->events(context, i, lanes[i], &counts[i]);
    if (status)
      return said(run, context, status);
    if (counts[i] <= kept)
      continue;
    is_full = 1;
    counts[i] = kept;
    memmove(lanes[i], lanes[i] + 1, kept * sizeof **lanes);
  }
  if (is_full)
    fprintf(stderr,
            "%.200s: note: the trace has the last %llu events of a thread; "
            "--trace-events=N keeps more\n",
            program_name, (unsigned long long)kept);
  return 0;
}

static int write_trace(struct run *run, void *context) {
  uint32_t threads = run->profile.runs.threads;
  weir_profile_event **lanes = calloc(threads, sizeof *lanes);
  uint64_t *counts = calloc(threads, sizeof *counts);
  struct whole file;
  int status = lanes && counts ? read_lanes(run, context, lanes, counts)
                               : fail("not enough memory for the trace", LIMIT);
  if (!status) {
    int bad = whole_begin(&file, run->options.trace);
    if (!bad && profile_trace(file.file, run, lanes, counts)) {
      whole_drop(&file);
      status = fail("not enough memory for the trace", LIMIT);
    } else if (!bad) {
      bad = whole_end(&file) || whole_place(&file, 1);
    }
    status = bad ? cannot_write(run, "--trace", run->options.trace) : status;
  }
  for (uint32_t i = 0; lanes && i < threads; ++i)
    free(lanes[i]);
  free(lanes);
  free(counts);
  return status;
}

static int has_counted(const struct profile *profile) {
  int has = profile->runs.runs > 0;
  for (uint32_t i = 0; i < profile->count; ++i)
    has |= profile->times[i].calls > 0;
  return has;
}

int profile_end(struct run *run, void *context, int has_failed) {
  struct profile *profile = &run->profile;
  if (!profile->has_begun)
    return 0;
  profile->has_failed = has_failed;
  weir_status status = profile->info->read(context, profile->times,
                                           profile->count, &profile->runs);
  if (status)
    return said(run, context, status);
  // Something else than a run has failed, such as the data.
  if (has_failed && !has_counted(profile)) {
    profile->has_begun = 0;
    return 0;
  }
  if (has_failed)
    fprintf(stderr,
            "%.200s: note: a run has failed; the %s has what was measured "
            "before\n",
            program_name, run->options.profile ? "profile" : "trace");
  return run->options.trace ? write_trace(run, context) : 0;
}

int profile_report(struct run *run, double measured) {
  if (!run->options.profile || !run->profile.has_begun)
    return 0;
  if (!run->options.profile_file)
    return profile_print(run, measured);
  struct whole file;
  int bad = whole_begin(&file, run->options.profile_file);
  if (!bad) {
    profile_json(file.file, run, measured);
    bad = whole_end(&file) || whole_place(&file, 1);
  }
  return bad ? cannot_write(run, "--profile", run->options.profile_file) : 0;
}

void profile_release(struct profile *profile) {
  free(profile->times);
  free(profile->memory);
}
