// The command line of weir-run.
#ifndef WEIR_TOOLS_RUN_OPTIONS_H
#define WEIR_TOOLS_RUN_OPTIONS_H

#include <stdint.h>

struct options {
  const char *library, *function, *output_dir, *level;
  const char *restore, *save; // checkpoints, as their paths without an ending
  const char *weights;        // another file than the one beside the library
  const char **inputs, **expects; // "NAME=VALUE", in order
  int num_inputs, num_expects;
  int argc;
  char **argv;
  char **data;          // of training: "FILE" or "NAME=FILE", in order
  const char **hparams; // "NAME=VALUE", in order
  int num_hparams;
  const char *histogram_names, *gradient_names; // expressions; null: all
  long histograms, gradients;                   // steps between them; 0: none
  const char *metrics, *tensorboard, *curve;    // a file, a folder, a file
  const char *profile_file, *trace; // files; a profile without one is printed
  long trace_events;                // of a thread; 0: the usual number
  int profile;
  int num_data;
  int train, shuffle;
  long batch, epochs; // 0: as the model has it, and one
  long save_every;    // steps; 0: at the end
  uint64_t shuffle_seed;
  const char *comm; // how ranks exchange messages; null: the model has one rank
  long ranks;       // 0: as many as the model was compiled for
  long timeout_ms;  // of an exchange
  int random, json;
  int threads; // 0: what the model was compiled for
  uint64_t seed;
  long repeat, warmup;
  double rtol, atol;
};

/// What messages and the help call the program: weir-run, or the executable
/// that has a model inside.
extern const char *program_name;

/// Begins a line of stderr with the program's name and `error: `, which has
/// colours on a terminal that takes them.
void begin_error(void);

/// Reads the arguments; `library` says whether the first plain one names it.
/// 0, or the exit status to end with.
int options_read(int argc, char **argv, int library, struct options *options);

#endif
