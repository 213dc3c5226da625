// Modules and their functions.

#include "cuda.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static size_t width_of(const char *type) {
  while (*type >= 'a' && *type <= 'z')
    ++type;
  return (size_t)atol(type) / 8;
}

// The parameters of `.entry NAME(`, up to its `)`: `.param .u64 NAME_param_0`
// or `.param .align 64 .b8 NAME_param_0[128]`.
static int read_params(function *of, const char *at) {
  const char *end = strchr(at, ')');
  of->num_params = 0;
  while (end && (at = strstr(at, ".param ")) && at < end) {
    if (of->num_params == max_params)
      return -1;
    size_t bytes = 0;
    for (at += 7; *at == '.' || (*at >= '0' && *at <= '9');) {
      if (*at == '.' && strncmp(at, ".align", 6) && strncmp(at, ".ptr", 4) &&
          strncmp(at, ".global", 7))
        bytes = width_of(at + 1);
      at += strcspn(at, " ");
      at += strspn(at, " ");
    }
    size_t length = strcspn(at, "[,)\n");
    if (at[length] == '[')
      bytes *= (size_t)atol(at + length + 1);
    of->param_bytes[of->num_params++] = bytes;
    at += length;
  }
  return end ? 0 : -1;
}

int cuModuleLoadDataEx(module **made, const void *image, uint32_t count,
                       int *options, void **values) {
  CALL_OUTSIDE_CAPTURE;
  const char *text = image;
  int is_text = strncmp(text, "\177ELF", 4) != 0;
  note("cuModuleLoadDataEx %s", is_text ? "ptx" : "cubin");
  if (is_text && !strstr(text, ".version")) {
    for (uint32_t i = 0; i < count; ++i)
      if (options[i] == 5)
        strcpy(values[i], "ptxas fatal: no .version\n");
    return INVALID_IMAGE;
  }
  *made = malloc(sizeof **made);
  **made = (module){text, is_text, 0};
  count_objects(1);
  return OK;
}

int cuModuleUnload(module *gone) {
  CALL_OUTSIDE_CAPTURE;
  note("cuModuleUnload");
  free(gone);
  count_objects(-1);
  return OK;
}

int cuModuleGetFunction(function **made, module *in, const char *name) {
  CALL_OUTSIDE_CAPTURE;
  note("cuModuleGetFunction %s", name);
  function *of = calloc(1, sizeof *of);
  snprintf(of->name, sizeof of->name, "%s", name);
  of->number = in->functions++;
  of->max_shared = 48 << 10;
  of->num_params = -1;
  if (in->is_text) {
    char entry[300];
    snprintf(entry, sizeof entry, ".entry %s(", name);
    const char *at = strstr(in->image, entry);
    if (!at || read_params(of, at)) {
      free(of);
      return NOT_FOUND;
    }
  }
  // A function lives as long as its module; the few of a test may stay.
  *made = of;
  return OK;
}

int cuFuncSetAttribute(function *of, int attribute, int value) {
  CALL_OUTSIDE_CAPTURE;
  note("cuFuncSetAttribute %s %d %d", of->name, attribute, value);
  if (attribute != 8 || value > 227 << 10)
    return INVALID_VALUE;
  of->max_shared = value;
  return OK;
}

int cuFuncLoad(function *of) {
  CALL_OUTSIDE_CAPTURE;
  note("cuFuncLoad %s", of->name);
  return OK;
}
