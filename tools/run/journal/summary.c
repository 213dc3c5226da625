// Values of a step, as Summary.Value of
// tensorflow/core/framework/summary.proto.

#include "tools/run/journal/summary.h"

#include "tools/run/journal/histogram.h"

#include <stdio.h>
#include <string.h>

enum {
  VALUE = 1, // of Summary
  // Of Summary.Value.
  TAG = 1,
  NUMBER = 2,
  HISTOGRAM = 5,
  TENSOR = 8,
  METADATA = 9,
  // Of SummaryMetadata, and of its plugin.
  PLUGIN = 1,
  DATA_CLASS = 4,
  PLUGIN_NAME = 1,
  PLUGIN_CONTENT = 2,
  CLASS_TENSOR = 2,
  // Of TensorProto.
  TYPE = 1,
  SHAPE = 2,
  FLOATS = 5,
  STRINGS = 8,
  TYPE_FLOAT = 1,
  TYPE_STRING = 7,
  // Of TensorShapeProto, and of its dimensions.
  DIMENSION = 2,
  SIZE = 1
};

void summary_number(struct message *summary, const char *tag, double value) {
  struct message one = {0};
  wire_text(&one, TAG, tag);
  wire_float(&one, NUMBER, (float)value);
  wire_message(summary, VALUE, &one);
}

void summary_array(struct message *summary, const char *tag,
                   const struct array *array) {
  if (array->elements == 1) {
    summary_number(summary, tag, array_get(array, 0));
    return;
  }
  struct histogram histogram;
  struct message one = {0}, part = {0};
  histogram_count(&histogram, array);
  histogram_write(&histogram, &part);
  wire_text(&one, TAG, tag);
  wire_message(&one, HISTOGRAM, &part);
  wire_message(summary, VALUE, &one);
  if (!histogram.not_finite)
    return;
  char name[4200];
  snprintf(name, sizeof name, "not_finite/%s", tag);
  summary_number(summary, name, (double)histogram.not_finite);
}

/// The shape of a tensor of one element.
static void add_shape(struct message *tensor) {
  struct message size = {0}, shape = {0};
  wire_integer(&size, SIZE, 1);
  wire_message(&shape, DIMENSION, &size);
  wire_message(tensor, SHAPE, &shape);
}

/// Frees the plugin's data and the tensor.
static void add(struct message *summary, const char *tag, const char *plugin,
                struct message *data, struct message *tensor) {
  struct message one = {0}, metadata = {0}, of_plugin = {0};
  wire_text(&of_plugin, PLUGIN_NAME, plugin);
  wire_message(&of_plugin, PLUGIN_CONTENT, data);
  wire_message(&metadata, PLUGIN, &of_plugin);
  wire_integer(&metadata, DATA_CLASS, CLASS_TENSOR);
  wire_text(&one, TAG, tag);
  wire_message(&one, METADATA, &metadata);
  wire_message(&one, TENSOR, tensor);
  wire_message(summary, VALUE, &one);
}

void summary_text(struct message *summary, const char *tag, const char *text) {
  struct message none = {0}, tensor = {0};
  wire_integer(&tensor, TYPE, TYPE_STRING);
  add_shape(&tensor);
  wire_text(&tensor, STRINGS, text);
  add(summary, tag, "text", &none, &tensor);
}

void summary_plugin(struct message *summary, const char *tag,
                    const char *plugin, struct message *data) {
  // Readers drop values without a tensor.
  struct message tensor = {0};
  wire_integer(&tensor, TYPE, TYPE_FLOAT);
  add_shape(&tensor);
  wire_float(&tensor, FLOATS, 0);
  add(summary, tag, plugin, data, &tensor);
}
