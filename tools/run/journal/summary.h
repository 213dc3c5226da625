// Values of a step, in the messages that TensorBoard reads.
#ifndef WEIR_TOOLS_RUN_JOURNAL_SUMMARY_H
#define WEIR_TOOLS_RUN_JOURNAL_SUMMARY_H

#include "tools/run/array.h"
#include "tools/run/journal/wire.h"

/// Each function adds a value to a message Summary.
void summary_number(struct message *summary, const char *tag, double value);
/// Adds the distribution of the finite elements, in TensorBoard's buckets. Of
/// an array with other elements, adds their number as `not_finite/TAG`. An
/// array of one element is a number.
void summary_array(struct message *summary, const char *tag,
                   const struct array *array);
/// Adds text in Markdown.
void summary_text(struct message *summary, const char *tag, const char *text);
/// Adds the data of a plugin, and frees it.
void summary_plugin(struct message *summary, const char *tag,
                    const char *plugin, struct message *data);

#endif
