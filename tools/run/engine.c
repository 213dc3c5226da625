// weir as one engine among others of a benchmark: compiles the model once, or
// takes a library (.so) as it is, then measures runs of it. The last line
// printed is JSON; with --serve, each line `run N` on stdin is answered by one.

#define _POSIX_C_SOURCE 200809L
#include "tools/run/engine.h"
#include "tools/run/array.h"
#include "tools/run/cache.h"
#include "tools/run/library.h"
#include "tools/run/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct engine {
  const char *model, *dump, *name; // name: of the function; null for any
  long repeat, threads;
  int serve, cold;
  struct library library;
  const weir_function_info *function;
  uint32_t index, count;
  struct array *arrays;
  void **tensors;
  void *context;
  char error[1024];
};

static int fail(const char *text, int status) {
  fprintf(stderr, "weir-engine: error: %s\n", text);
  return status;
}

static long peak_rss_kb(void) {
  FILE *file = fopen("/proc/self/status", "r");
  char line[256];
  long kb = 0;
  while (file && fgets(line, sizeof line, file))
    if (sscanf(line, "VmHWM: %ld", &kb) == 1)
      break;
  if (file)
    fclose(file);
  return kb;
}

static int ends_in(const char *text, const char *end) {
  size_t length = strlen(text), count = strlen(end);
  return length > count && !strcmp(text + length - count, end);
}

/// Where elements lie in the order in which they are told: images channel by
/// channel, as ONNX models have them, though others have the channels last.
struct order {
  int64_t pixels, channels;      // of an image
  int64_t image, channel, pixel; // at hand; where the image begins
};

static struct order order_of(const struct engine *engine,
                             const struct array *array) {
  struct order order = {.pixels = array->elements, .channels = 1};
  if (array->rank == 4 && !ends_in(engine->model, ".onnx")) {
    order.pixels = array->shape[1] * array->shape[2];
    order.channels = array->shape[3];
  }
  return order;
}

static int64_t next_place(struct order *o) {
  int64_t place = o->image + o->pixel * o->channels + o->channel;
  if (++o->pixel == o->pixels) {
    o->pixel = 0;
    if (++o->channel == o->channels) {
      o->channel = 0;
      o->image += o->pixels * o->channels;
    }
  }
  return place;
}

/// The i-th value that every engine of the benchmark gets; exact.
static float input_value(int64_t i) {
  uint32_t mixed = (uint32_t)((uint64_t)(i + 1) * 2654435761u);
  return (float)(mixed >> 8) / 16777216.0f - 0.5f;
}

/// Fills the inputs; integers are classes of ten. That is part of the time to
/// a first output: floats are set as they lie.
static void fill(const struct engine *engine, struct array *array) {
  int whole = array->dtype == WEIR_I32 || array->dtype == WEIR_I64;
  for (int64_t i = 0; whole && i < array->elements; ++i)
    array_set(array, i, (double)(i % 10));
  struct order order = order_of(engine, array);
  float *floats = array->dtype == WEIR_F32 ? array->data : NULL;
  for (int64_t place = 0; !whole && place < array->elements;) {
    int64_t first = place;
    for (int64_t pixel = 0; pixel < order.pixels; ++pixel)
      for (int64_t c = 0; c < order.channels; ++c, ++place) {
        float value = input_value(first + c * order.pixels + pixel);
        if (floats)
          floats[place] = value;
        else
          array_set(array, place, (double)value);
      }
  }
}

static int dump(const struct engine *engine) {
  FILE *file = fopen(engine->dump, "wb");
  if (!file)
    return fail("cannot write the dump", 74);
  for (uint32_t i = engine->function->num_inputs; i < engine->count; ++i) {
    const struct array *array = &engine->arrays[i];
    struct order order = order_of(engine, array);
    for (int64_t k = 0; k < array->elements; ++k) {
      float value = (float)array_get(array, next_place(&order));
      fwrite(&value, sizeof value, 1, file);
    }
  }
  int bad = ferror(file);
  return fclose(file) || bad ? fail("cannot write the dump", 74) : 0;
}

static weir_status run(struct engine *engine) {
  return engine->library.info->run(engine->context, engine->index,
                                   engine->tensors, engine->count);
}

/// Creates the context; variables get their first values.
static int create(struct engine *engine) {
  const weir_model_info *info = engine->library.info;
  weir_config config = WEIR_CONFIG_INIT;
  if (engine->library.weights[0])
    config.weights_path = engine->library.weights;
  weir_status failed = info->create(NULL, &config, &engine->context);
  if (failed)
    return fail(info->status_text(failed), 1);
  if (info->init && info->run(engine->context, info->init - 1, NULL, 0))
    return fail(info->last_error(engine->context), 1);
  return 0;
}

static int prepare(struct engine *engine) {
  char path[4300];
  int status = 0;
  if (ends_in(engine->model, ".so"))
    snprintf(path, sizeof path, "%s", engine->model);
  else
    status = cache_compile(engine->model, (int)engine->threads, path,
                           sizeof path, engine->error, sizeof engine->error);
  if (status)
    return fail(engine->error, status);
  status =
      library_open(path, &engine->library, engine->error, sizeof engine->error);
  if (status)
    return fail(engine->error, status);
  const weir_model_info *info = engine->library.info;
  int index = library_function(info, engine->name);
  if (index < 0)
    return fail("the model has no such function", 1);
  engine->index = (uint32_t)index;
  const weir_function_info *f = engine->function = &info->functions[index];
  engine->count = f->num_inputs + f->num_outputs;
  engine->arrays = calloc(engine->count + 1, sizeof *engine->arrays);
  engine->tensors = calloc(engine->count + 1, sizeof *engine->tensors);
  if (!engine->arrays || !engine->tensors)
    return fail("out of memory", 75);
  for (uint32_t i = 0; i < engine->count; ++i) {
    const weir_tensor_info *tensor =
        i < f->num_inputs ? &f->inputs[i] : &f->outputs[i - f->num_inputs];
    struct array *array = &engine->arrays[i];
    array->dtype = tensor->dtype;
    array->rank = tensor->rank < MAX_RANK ? tensor->rank : MAX_RANK;
    memcpy(array->shape, tensor->shape,
           (size_t)array->rank * sizeof *array->shape);
    if (array_allocate(array))
      return fail("out of memory", 75);
    if (i < f->num_inputs)
      fill(engine, array);
    engine->tensors[i] = array->data;
  }
  return create(engine);
}

/// Runs n times and keeps the latencies.
static int block(struct engine *engine, long n, double *us) {
  for (long i = 0; i < n; ++i) {
    double begin = now_us();
    weir_status status = run(engine);
    us[i] = now_us() - begin;
    if (status)
      return fail(engine->library.info->last_error(engine->context), 1);
  }
  return 0;
}

static void print_us(const double *us, long n) {
  printf("\"us\": [");
  for (long i = 0; i < n; ++i)
    printf("%s%.3f", i ? "," : "", us[i]);
  printf("]");
}

static int serve(struct engine *engine) {
  char line[256];
  long n;
  while (fgets(line, sizeof line, stdin) && sscanf(line, "run %ld", &n) == 1) {
    double *us = n > 0 && n < 100000000 ? malloc((size_t)n * sizeof *us) : NULL;
    if (!us || block(engine, n, us))
      return 1;
    printf("{");
    print_us(us, n);
    printf(", \"rss_kb\": %ld}\n", peak_rss_kb());
    fflush(stdout);
    free(us);
  }
  return 0;
}

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static int measure(struct engine *engine) {
  double begin = now_us();
  int status = prepare(engine);
  if (status)
    return status;
  double ready = now_us();
  if (run(engine))
    return fail(engine->library.info->last_error(engine->context), 1);
  double first = now_us();
  if (engine->dump && (status = dump(engine)))
    return status;
  if (engine->cold || engine->serve) {
    printf("{%s\"init_us\": %.1f, \"first_us\": %.1f, \"rss_kb\": %ld}\n",
           engine->serve ? "\"ready\": 1, " : "", ready - begin, first - ready,
           peak_rss_kb());
    fflush(stdout);
    return engine->cold ? 0 : serve(engine);
  }
  double *us = malloc((size_t)engine->repeat * sizeof *us);
  if (!us)
    return fail("out of memory", 75);
  if ((status = block(engine, (engine->repeat + 9) / 10, us)) ||
      (status = block(engine, engine->repeat, us)))
    return status;
  printf("{");
  print_us(us, engine->repeat);
  qsort(us, (size_t)engine->repeat, sizeof *us, ascending);
  printf(", \"median_us\": %.3f, \"min_us\": %.3f, \"init_us\": %.1f, "
         "\"first_us\": %.1f, \"rss_kb\": %ld}\n",
         us[engine->repeat / 2], us[0], ready - begin, first - ready,
         peak_rss_kb());
  free(us);
  return 0;
}

int engine_main(int argc, char **argv) {
  struct engine engine = {.repeat = 100, .threads = 1};
  for (int i = 1; i < argc; ++i) {
    int more = i + 1 < argc;
    if (!strcmp(argv[i], "--serve"))
      engine.serve = 1;
    else if (!strcmp(argv[i], "--cold"))
      engine.cold = 1;
    else if (!strcmp(argv[i], "--function") && more)
      engine.name = argv[++i];
    else if (!strcmp(argv[i], "--threads") && more)
      engine.threads = strtol(argv[++i], NULL, 10);
    else if (!strcmp(argv[i], "--repeat") && more)
      engine.repeat = strtol(argv[++i], NULL, 10);
    else if (!strcmp(argv[i], "--dump") && more)
      engine.dump = argv[++i];
    else if (argv[i][0] != '-' && !engine.model)
      engine.model = argv[i];
    else
      return fail("usage: weir-engine MODEL|LIB.so [--function NAME] "
                  "[--threads N] [--repeat R] [--serve] [--cold] "
                  "[--dump FILE]",
                  2);
  }
  if (!engine.model || engine.repeat < 1 || engine.repeat > 100000000 ||
      engine.threads < 1 || engine.threads > 256)
    return fail("a model, and sensible --repeat and --threads, are needed", 2);
  int status = measure(&engine);
  if (engine.context)
    engine.library.info->destroy(engine.context);
  for (uint32_t i = 0; engine.arrays && i < engine.count; ++i)
    array_free(&engine.arrays[i]);
  free(engine.arrays);
  free(engine.tensors);
  return status;
}
