// What weir-run does: opens a model, gathers its inputs, has it run, and
// writes, compares and reports what came out.

#define _POSIX_C_SOURCE 200809L
#include "tools/run/run.h"
#include "tools/run/execute.h"
#include "tools/run/interrupt.h"
#include "tools/run/library.h"
#include "tools/run/output.h"
#include "tools/run/train.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int fail(const char *text, int status) {
  begin_error();
  fprintf(stderr, "%s\n", text);
  return status;
}

static struct array *output(struct run *run, uint32_t i) {
  return &run->arrays[run->function->num_inputs + i];
}

/// The value of `NAME=VALUE` for this tensor, or null. The last one wins.
const char *given(const char **all, int count, const weir_tensor_info *tensor) {
  const char *found = NULL;
  for (int i = 0; i < count; ++i) {
    const char *equals = strchr(all[i], '=');
    char name[4096];
    size_t length = (size_t)(equals - all[i]);
    if (length >= sizeof name)
      continue;
    memcpy(name, all[i], length);
    name[length] = 0;
    if (tensor_is_called(tensor, name))
      found = equals + 1;
  }
  return found;
}

/// Each NAME=VALUE must mean a tensor of the function.
static int check_names(struct run *run, const char **all, int count,
                       const weir_tensor_info *tensors, uint32_t number,
                       const char *what) {
  for (int i = 0; i < count; ++i) {
    int used = 0;
    for (uint32_t k = 0; k < number; ++k)
      used |= given(&all[i], 1, &tensors[k]) != NULL;
    if (used)
      continue;
    int length = (int)(strchr(all[i], '=') - all[i]);
    size_t at = (size_t)snprintf(
        run->error, sizeof run->error, "no %s is called '%.*s'; there %s", what,
        length > 200 ? 200 : length, all[i], number == 1 ? "is" : "are");
    for (uint32_t k = 0; k < number && at < sizeof run->error; ++k)
      at += (size_t)snprintf(run->error + at, sizeof run->error - at,
                             "%s '%.100s'", k ? "," : "", tensors[k].tensor);
    return fail(run->error, FAULT);
  }
  return 0;
}

/// The file or value that `text` names; 0, or an exit status. A value without a
/// type is of the tensor's, where that has no sizes that only a run knows. What
/// is wanted as bf16 may come as its bare 16 bits or as f32: NumPy has no such
/// type.
static int read_value(struct run *run, const char *text,
                      const weir_tensor_info *info, struct array *array) {
  weir_dtype want = info->dtype;
  int bad;
  if (*text == '@') {
    bad = npy_read(text + 1, array, run->error, sizeof run->error);
  } else if (info->shape_tensor < 0 && !strchr(text, '=')) {
    describe(info, array);
    bad = value_fill(text, array, run->error, sizeof run->error);
  } else {
    bad = value_parse(text, array, run->error, sizeof run->error);
  }
  if (bad || want != WEIR_BF16)
    return bad;
  if (array->dtype == WEIR_U16)
    array->dtype = WEIR_BF16;
  if (array->dtype != WEIR_F32)
    return 0;
  struct array narrow = *array;
  narrow.dtype = WEIR_BF16;
  if (array_allocate(&narrow)) {
    array_free(array);
    snprintf(run->error, sizeof run->error, "not enough memory");
    return LIMIT;
  }
  for (int64_t i = 0; i < narrow.elements; ++i)
    array_set(&narrow, i, array_get(array, i));
  array_free(array);
  *array = narrow;
  return 0;
}

static int same_type(const struct array *a, const struct array *b) {
  // bf16 travels as bare 16 bits.
  int same =
      a->dtype == b->dtype || (b->dtype == WEIR_BF16 && a->dtype == WEIR_U16);
  return same && a->rank == b->rank &&
         !memcmp(a->shape, b->shape, (size_t)a->rank * sizeof *a->shape);
}

int type_error(struct run *run, const char *name, const struct array *want,
               const struct array *got) {
  char a[1600], b[1600];
  array_type_text(want, a, sizeof a);
  array_type_text(got, b, sizeof b);
  snprintf(run->error, sizeof run->error,
           "'%.200s': expected %.300s, got %.300s", name, a, b);
  return fail(run->error, FAULT);
}

void describe(const weir_tensor_info *info, struct array *array) {
  array->dtype = info->dtype;
  array->rank = info->rank < MAX_RANK ? info->rank : MAX_RANK;
  for (int i = 0; i < array->rank; ++i)
    array->shape[i] = info->shape[i];
}

/// An array in a buffer as large as the model may read, which it is already
/// where its sizes are the most; its sizes go to the input that takes them. A
/// size that is out of range is for the model to refuse, which knows the range.
static int make_room(struct run *run, const weir_tensor_info *info,
                     struct array *array, const struct array *most) {
  struct array *shape = &run->arrays[info->shape_tensor], room = *most;
  if (array->dtype != most->dtype || array->rank != most->rank) {
    char a[1600], b[1600];
    array_type_text(most, a, sizeof a);
    array_type_text(array, b, sizeof b);
    snprintf(run->error, sizeof run->error,
             "'%.200s': expected %.300s at most, got %.300s", info->tensor, a,
             b);
    return fail(run->error, FAULT);
  }
  describe(&run->function->inputs[info->shape_tensor], shape);
  if (array_allocate(shape))
    return fail("not enough memory for the inputs", LIMIT);
  int fits = 1, is_full = 1;
  for (int k = 0; k < array->rank; ++k) {
    ((int64_t *)shape->data)[k] = array->shape[k];
    fits &= array->shape[k] <= most->shape[k];
    is_full &= array->shape[k] == most->shape[k];
  }
  if (is_full)
    return 0;
  if (array_allocate(&room))
    return fail("not enough memory for the inputs", LIMIT);
  if (fits)
    memcpy(room.data, array->data, array->bytes);
  array_free(array);
  *array = room;
  return 0;
}

static int gather_input(struct run *run, uint32_t i) {
  const weir_tensor_info *info = &run->function->inputs[i];
  struct array *array = &run->arrays[i], want = {0};
  if (whose_shape(run->function->inputs, run->function->num_inputs, i) >= 0)
    return 0;
  describe(info, &want);
  const char *text = given(run->options.inputs, run->options.num_inputs, info);
  // Batches of data are copied there.
  if (!text && run->options.train) {
    *array = want;
    if (array_allocate(array))
      return fail("not enough memory for the inputs", LIMIT);
    return info->shape_tensor < 0 ? 0 : make_room(run, info, array, &want);
  }
  if (!text && !run->options.random) {
    char type[1600];
    array_type_text(&want, type, sizeof type);
    snprintf(run->error, sizeof run->error,
             "input '%.200s' (%.200s) is missing: give --input=%.200s=... or "
             "--random=SEED",
             info->tensor, type, info->tensor);
    return fail(run->error, FAULT);
  }
  if (!text) {
    *array = want;
    if (array_allocate(array))
      return fail("not enough memory for the inputs", LIMIT);
    value_random(array, run->options.seed + i);
    return info->shape_tensor < 0 ? 0 : make_room(run, info, array, &want);
  }
  int status = read_value(run, text, info, array);
  if (status)
    return fail(run->error, status);
  if (info->shape_tensor >= 0)
    return make_room(run, info, array, &want);
  if (!same_type(array, &want))
    return type_error(run, info->tensor, &want, array);
  return 0;
}

static int gather(struct run *run) {
  const weir_function_info *f = run->function;
  uint32_t count = f->num_inputs + f->num_outputs;
  run->arrays = calloc(count + 1, sizeof *run->arrays);
  run->tensors = calloc(count + 1, sizeof *run->tensors);
  run->files = calloc(f->num_outputs + 1, sizeof *run->files);
  run->timing.us = calloc((size_t)run->options.repeat + 1, sizeof(double));
  if (!run->arrays || !run->tensors || !run->files || !run->timing.us)
    return fail("out of memory", LIMIT);
  int status;
  if ((status = check_names(run, run->options.inputs, run->options.num_inputs,
                            f->inputs, f->num_inputs, "input")) ||
      (status = check_names(run, run->options.expects, run->options.num_expects,
                            f->outputs, f->num_outputs, "output")))
    return status;
  for (uint32_t i = 0; i < f->num_inputs; ++i)
    if ((status = gather_input(run, i)))
      return status;
  for (uint32_t i = 0; i < f->num_outputs; ++i) {
    describe(&f->outputs[i], output(run, i));
    if (array_allocate(output(run, i)))
      return fail("not enough memory for the outputs", LIMIT);
  }
  for (uint32_t i = 0; i < count; ++i)
    run->tensors[i] = run->arrays[i].data;
  return 0;
}

static int compare(struct run *run, uint32_t i) {
  const weir_tensor_info *info = &run->function->outputs[i];
  const char *text =
      given(run->options.expects, run->options.num_expects, info);
  if (!text)
    return 0;
  struct array want = {0};
  int status = read_value(run, text, info, &want);
  if (status)
    return fail(run->error, status);
  if (!same_type(&want, output(run, i))) {
    status = type_error(run, info->tensor, &want, output(run, i));
  } else {
    char worst[32];
    int64_t differ = array_compare(output(run, i), &want, run->options.rtol,
                                   run->options.atol, worst, sizeof worst);
    if (differ) {
      snprintf(run->error, sizeof run->error,
               "output '%.200s': %lld of %lld elements differ, by up to %s",
               info->tensor, (long long)differ, (long long)want.elements,
               worst);
      status = fail(run->error, FAULT);
    }
  }
  array_free(&want);
  return status;
}

/// Outputs whose sizes only the run knew get them: no more than there is room
/// for.
static int settle_shapes(struct run *run) {
  for (uint32_t i = 0; i < run->function->num_outputs; ++i) {
    const weir_tensor_info *info = &run->function->outputs[i];
    struct array *array = output(run, i);
    if (info->shape_tensor < 0)
      continue;
    const int64_t *sizes = output(run, (uint32_t)info->shape_tensor)->data;
    array->elements = 1;
    for (int k = 0; k < array->rank; ++k) {
      if (sizes[k] < 0 || sizes[k] > info->shape[k]) {
        snprintf(run->error, sizeof run->error,
                 "output '%.200s': the model says that dimension %d has %lld "
                 "elements, of at most %lld",
                 info->tensor, k, (long long)sizes[k],
                 (long long)info->shape[k]);
        return fail(run->error, FAULT);
      }
      array->shape[k] = sizes[k];
      array->elements *= sizes[k];
    }
    array->bytes = (size_t)array->elements * dtype_bytes(array->dtype);
  }
  return 0;
}

int flushed(int status) {
  return (fflush(stdout) || ferror(stdout)) && !status
             ? fail("cannot write what came out", IO)
             : status;
}

static int deliver(struct run *run) {
  int status = settle_shapes(run);
  if (status)
    return status;
  for (uint32_t i = 0; i < run->function->num_outputs; ++i) {
    const weir_tensor_info *info = &run->function->outputs[i];
    if (whose_shape(run->function->outputs, run->function->num_outputs, i) >= 0)
      continue;
    if (run->options.output_dir && !status)
      status = output_write(run, info->name, output(run, i));
    int differs = compare(run, i);
    status = status ? status : differs;
  }
  struct array *outputs = run->arrays + run->function->num_inputs;
  if (run->options.json)
    report_json(run->function, outputs, &run->timing);
  else
    report_plain(run->function, outputs, &run->timing,
                 !run->options.output_dir && !run->options.num_expects &&
                     !run->options.repeat);
  // Output is printed before files are moved to their final paths.
  return outputs_place(run, flushed(status));
}

static int run_model(struct run *run) {
  if (run->options.train && !run->options.function)
    run->options.function = "train_step";
  int index = library_function(run->info, run->options.function);
  if (index < 0) {
    snprintf(run->error, sizeof run->error,
             "the model has no function '%.200s'",
             run->options.function ? run->options.function : "");
    return fail(run->error, FAULT);
  }
  if ((run->options.restore || run->options.save) && !run->info->restore)
    return fail("the model has no variables", FAULT);
  run->index = (uint32_t)index;
  run->function = &run->info->functions[index];
  int later = 0, status = outputs_check(run);
  if (!status)
    status = gather(run);
  if (!status)
    status = execute(run, &later);
  double measured = 0;
  for (long i = 0; i < run->timing.runs; ++i)
    measured += run->timing.us[i];
  if (!status && !run->options.train)
    status = deliver(run);
  // After a run that failed, a profile has what was measured until then.
  int unprofiled = profile_report(run, measured);
  status = status ? status : unprofiled;
  return status ? status : later;
}

static void release(struct run *run) {
  uint32_t count =
      run->arrays ? run->function->num_inputs + run->function->num_outputs : 0;
  for (uint32_t i = 0; i < count; ++i)
    array_free(&run->arrays[i]);
  free(run->arrays);
  free(run->tensors);
  free(run->files);
  free(run->timing.us);
  array_free(&run->state);
  profile_release(&run->profile);
  free(run->options.inputs);
  free(run->options.expects);
  for (int i = 0; i < run->options.num_data; ++i)
    free(run->options.data[i]);
  free(run->options.data);
  free(run->options.hparams);
}

const struct ranks *weir_run_ranks = NULL;

int weir_run_main(int argc, char **argv, const weir_model_info *info) {
  return weir_run_profiled(argc, argv, info, NULL);
}

int weir_run_profiled(int argc, char **argv, const weir_model_info *info,
                      const weir_profile_info *profile) {
  // A write beyond the limit of file sizes fails, as one to a full disk does.
  signal(SIGXFSZ, SIG_IGN);
  struct run run = {0};
  struct library library = {0};
  if (info && argc > 0) {
    const char *slash = strrchr(argv[0], '/');
    program_name = slash ? slash + 1 : argv[0];
  }
  int status = options_read(argc, argv, info == NULL, &run.options);
  if (!status && !info &&
      (status = library_open(run.options.library, &library, run.error,
                             sizeof run.error)))
    status = fail(run.error, status);
  run.info = info ? info : library.info;
  run.profile.info = info ? profile : library.profile;
  run.weights = run.options.weights ? run.options.weights : library.weights;
  if (!status && (run.options.comm || library.mesh))
    status = weir_run_ranks
                 ? weir_run_ranks->join(&run, library.mesh)
                 : fail("--comm: only weir-run runs several ranks", USAGE);
  if (!status)
    status = run_model(&run);
  release(&run);
  status = flushed(status);
  if (weir_run_ranks)
    weir_run_ranks->end(status);
  interrupt_end();
  return status;
}
