/* Events of the stand-in for the driver: a time is known when both are done. */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>

enum { DISABLE_TIMING = 2, EXTERNAL = 1 };
enum { INVALID_VALUE = 1, INVALID_HANDLE = 400, NOT_READY = 600 };

static void *driver;
static int failures;

static void check(int good, const char *what) {
  if (!good)
    ++failures, puts(what);
}

#define CALL(name, parameters, ...)                                            \
  (((int(*) parameters)(uintptr_t)dlsym(driver, #name))(__VA_ARGS__))
#define RECORD(event, stream)                                                  \
  CALL(cuEventRecord, (void *, void *), event, stream)
#define RECORD_WITH(event, stream, flags)                                      \
  CALL(cuEventRecordWithFlags, (void *, void *, uint32_t), event, stream, flags)
#define ELAPSED(begin, end)                                                    \
  CALL(cuEventElapsedTime, (float *, void *, void *), &passed, begin, end)
#define SET()                                                                  \
  CALL(cuMemsetD8Async, (uint64_t, unsigned char, size_t, void *), memory, 1,  \
       4, stream)

int main(int argc, char **argv) {
  void *stream, *begin, *end, *plain, *graph, *exec;
  uint64_t memory;
  float passed = 0;
  driver = argc > 1 ? dlopen(argv[1], RTLD_NOW) : NULL;
  if (!driver)
    return 2;
  CALL(cuCtxPushCurrent_v2, (void *), (void *)16);
  CALL(cuMemAlloc_v2, (uint64_t *, size_t), &memory, 4);
  CALL(cuStreamCreate, (void **, uint32_t), &stream, 0);
  CALL(cuEventCreate, (void **, uint32_t), &begin, 0);
  CALL(cuEventCreate, (void **, uint32_t), &end, 0);
  CALL(cuEventCreate, (void **, uint32_t), &plain, DISABLE_TIMING);

  check(ELAPSED(begin, end) == INVALID_HANDLE, "never recorded");
  check(!RECORD(begin, stream) && !SET() && !SET() && !RECORD(end, stream),
        "record");
  check(ELAPSED(begin, end) == NOT_READY, "not waited for");
  check(!CALL(cuEventSynchronize, (void *), begin) &&
            ELAPSED(begin, end) == NOT_READY,
        "the end was not waited for");
  check(!CALL(cuEventSynchronize, (void *), end) && !ELAPSED(begin, end),
        "elapsed");
  check(passed > 0.0019f && passed < 0.0021f, "two microseconds");
  check(!RECORD(plain, stream) &&
            !CALL(cuStreamSynchronize, (void *), stream) &&
            ELAPSED(begin, plain) == INVALID_HANDLE,
        "an event without a time");
  check(RECORD_WITH(end, stream, EXTERNAL) == INVALID_VALUE,
        "a node without a graph");

  CALL(cuStreamBeginCapture_v2, (void *, int), stream, 1);
  check(!RECORD_WITH(begin, stream, EXTERNAL) && !SET() &&
            !RECORD_WITH(end, stream, EXTERNAL),
        "nodes");
  check(!RECORD(plain, stream), "an event of the capture");
  CALL(cuStreamEndCapture, (void *, void **), stream, &graph);
  CALL(cuGraphInstantiateWithFlags, (void **, void *, uint64_t), &exec, graph,
       0);
  check(!ELAPSED(begin, end) && passed > 0.0019f, "a graph that has not run");
  for (int i = 0; i < 2; ++i) {
    check(!CALL(cuGraphLaunch, (void *, void *), exec, stream) &&
              ELAPSED(begin, end) == NOT_READY,
          "a graph in a stream");
    check(!CALL(cuStreamSynchronize, (void *), stream) &&
              !ELAPSED(begin, end) && passed > 0.0009f && passed < 0.0011f,
          "a graph that has run");
  }
  CALL(cuEventDestroy_v2, (void *), plain);
  CALL(cuEventCreate, (void **, uint32_t), &plain, 0);
  CALL(cuStreamBeginCapture_v2, (void *, int), stream, 1);
  check(!RECORD(plain, stream), "an event of the capture");
  CALL(cuStreamEndCapture, (void *, void **), stream, &graph);
  check(ELAPSED(begin, plain) == INVALID_VALUE, "captured, without a node");
  printf("%d failures\n", failures);
  return failures != 0;
}
