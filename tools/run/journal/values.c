// Adds variables and gradients to the events of a step.

#define _POSIX_C_SOURCE 200809L
#include "tools/run/journal/values.h"

#include "tools/run/journal/summary.h"
#include "tools/run/library.h"

#include <stdlib.h>
#include <string.h>

static const char entry[] = "gradients", prefix[] = "gradients/";

static int is_due(const struct choice *choice, int64_t step) {
  return choice->every && step % choice->every == 0;
}

static int is_chosen(const struct choice *choice, const char *name) {
  return !choice->is_filtered || !regexec(&choice->names, name, 0, NULL, 0);
}

/// The options have checked the expression.
static int choose(struct choice *choice, long every, const char *names) {
  choice->every = every;
  if (every && names &&
      regcomp(&choice->names, names, REG_EXTENDED | REG_NOSUB))
    return fail("not enough memory for a regular expression", LIMIT);
  choice->is_filtered = every && names;
  return 0;
}

static int none_matches(struct run *run, const char *option, const char *what,
                        const char *names) {
  snprintf(run->error, sizeof run->error, "%s: no %s matches '%.200s'", option,
           what, names ? names : "");
  return fail(run->error, FAULT);
}

static int check_variables(struct values *values, struct run *run,
                           void *context) {
  const weir_model_info *info = run->info;
  if (!info->num_variables)
    return fail("--histograms: the model has no variables", FAULT);
  // The state would be at the caller's address.
  if (info->state(context) != run->state.data)
    return fail("--histograms: the variables are in the memory of a GPU",
                FAULT);
  for (uint32_t i = 0; i < info->num_variables; ++i)
    if (is_chosen(&values->variables, info->variables[i].name))
      return 0;
  return none_matches(run, "--histograms", "variable",
                      run->options.histogram_names);
}

/// The step's input of the same name, or null.
static void *input_called(const struct run *run, const char *name) {
  for (uint32_t i = 0; i < run->function->num_inputs; ++i)
    if (!strcmp(run->function->inputs[i].name, name))
      return run->arrays[i].data;
  return NULL;
}

static int is_gradient(const weir_tensor_info *output) {
  return !strncmp(output->name, prefix, sizeof prefix - 1);
}

static int allocate_gradients(struct values *values, const struct run *run) {
  const weir_function_info *f = values->function;
  values->outputs = calloc((size_t)f->num_outputs + 1, sizeof(struct array));
  values->tensors =
      calloc((size_t)f->num_inputs + f->num_outputs, sizeof(void *));
  values->kept = malloc(run->info->state_bytes + 1);
  int bad = !values->outputs || !values->tensors || !values->kept;
  for (uint32_t i = 0; !bad && i < f->num_outputs; ++i) {
    describe(&f->outputs[i], &values->outputs[i]);
    bad = array_allocate(&values->outputs[i]) != 0;
    values->tensors[f->num_inputs + i] = values->outputs[i].data;
  }
  return bad ? fail("not enough memory for the gradients", LIMIT) : 0;
}

static int check_gradients(struct values *values, struct run *run) {
  int index = library_function(run->info, entry);
  if (index < 0)
    return fail("--gradients: the library has no function 'gradients': compile "
                "it with weir compile --grad=loss:VAR,...",
                FAULT);
  const weir_function_info *f = &run->info->functions[index];
  values->index = (uint32_t)index;
  values->function = f;
  int status = allocate_gradients(values, run), found = 0;
  for (uint32_t i = 0; !status && i < f->num_inputs; ++i) {
    values->tensors[i] = input_called(run, f->inputs[i].name);
    if (values->tensors[i])
      continue;
    snprintf(run->error, sizeof run->error,
             "--gradients: the function 'gradients' has the input '%.200s', "
             "which '%.200s' lacks",
             f->inputs[i].name, run->function->name);
    return fail(run->error, FAULT);
  }
  for (uint32_t i = 0; i < f->num_outputs; ++i)
    found |= is_gradient(&f->outputs[i]) &&
             is_chosen(&values->gradients, f->outputs[i].name);
  return status || found ? status
                         : none_matches(run, "--gradients", "gradient",
                                        run->options.gradient_names);
}

int values_open(struct values *values, struct run *run, void *context) {
  const struct options *o = &run->options;
  int status = choose(&values->variables, o->histograms, o->histogram_names);
  if (!status)
    status = choose(&values->gradients, o->gradients, o->gradient_names);
  if (!status && o->histograms)
    status = check_variables(values, run, context);
  if (!status && o->gradients)
    status = check_gradients(values, run);
  return status;
}

weir_status values_before(struct values *values, struct run *run, void *context,
                          int64_t step, struct message *summary) {
  const weir_function_info *f = values->function;
  if (!is_due(&values->gradients, step))
    return WEIR_OK;
  // A model in training mode assigns variables in each of its functions.
  size_t bytes = run->info->state_bytes;
  int is_kept = bytes && run->info->state(context) == run->state.data;
  if (is_kept)
    memcpy(values->kept, run->state.data, bytes);
  weir_status status = run->info->run(context, values->index, values->tensors,
                                      f->num_inputs + f->num_outputs);
  if (is_kept)
    memcpy(run->state.data, values->kept, bytes);
  for (uint32_t i = 0; !status && i < f->num_outputs; ++i) {
    const weir_tensor_info *output = &f->outputs[i];
    if (!is_gradient(output) || !is_chosen(&values->gradients, output->name))
      continue;
    struct array array = values->outputs[i];
    const int64_t *sizes = output->shape_tensor < 0
                               ? NULL
                               : values->outputs[output->shape_tensor].data;
    for (int k = 0; sizes && k < array.rank; ++k)
      array.elements = k ? array.elements * sizes[k] : sizes[k];
    summary_array(summary, output->name, &array);
  }
  return status;
}

void values_after(struct values *values, struct run *run, void *context,
                  int64_t step, struct message *summary) {
  const weir_model_info *info = run->info;
  const char *state =
      is_due(&values->variables, step) ? info->state(context) : NULL;
  for (uint32_t i = 0; state && i < info->num_variables; ++i) {
    const weir_variable_info *variable = &info->variables[i];
    char tag[4200];
    if (!is_chosen(&values->variables, variable->name))
      continue;
    struct array array = {.dtype = variable->dtype,
                          .elements = variable->elements,
                          .data = (char *)state + variable->offset};
    snprintf(tag, sizeof tag, "variables/%s", variable->name);
    summary_array(summary, tag, &array);
  }
}

void values_close(struct values *values) {
  for (uint32_t i = 0; values->outputs && i < values->function->num_outputs;
       ++i)
    array_free(&values->outputs[i]);
  free(values->outputs);
  free(values->tensors);
  free(values->kept);
  if (values->variables.is_filtered)
    regfree(&values->variables.names);
  if (values->gradients.is_filtered)
    regfree(&values->gradients.names);
  *values = (struct values){0};
}
