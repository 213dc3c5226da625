// Reads the schedule of a library that was compiled with --mesh.

#include "tools/simulate/Program.h"

#include "runtime/comm/steps.h"
extern "C" {
#include "tools/run/library.h"
}

namespace weir::simulate {

static const char *nameOf(const weir_model_info *info, uint32_t function) {
  return info->functions[function].name;
}

/// The function that the user means; -1 after an error.
static int findFunction(const weir_model_info *info, const Options &options) {
  const std::string &given = options.function;
  int found = given.empty() ? library_function(info, "train_step")
                            : library_function(info, given.c_str());
  if (found < 0 && given.empty())
    found = library_function(info, nullptr);
  if (found >= 0)
    return found;
  std::string names;
  for (uint32_t i = 0; i < info->num_functions; ++i)
    names += (i ? ", " : "") + std::string(nameOf(info, i));
  fail(badUsage,
       "the library has no function '" + given + "'; it has " + names);
  return -1;
}

/// Changes the axis `data` until there are --ranks ranks. The exit status.
static int resize(const Options &options, Program &program) {
  uint64_t others = 1;
  uint32_t *data = nullptr;
  std::string text;
  for (size_t i = 0; i < program.axes.size(); ++i) {
    if (program.axes[i] == "data")
      data = &program.sizes[i];
    else
      others *= program.sizes[i];
    text += (i ? "," : "") + program.axes[i] + "=" +
            std::to_string(program.sizes[i]);
  }
  program.ranks = static_cast<uint32_t>(others * (data ? *data : 1));
  if (!options.ranks || options.ranks == program.ranks)
    return success;
  std::string compiled = "the library was compiled for " + text;
  if (!data)
    return fail(badUsage,
                compiled + ", and --ranks changes the axis data only");
  if (options.ranks % others)
    return fail(badUsage, compiled + ": --ranks must be a multiple of " +
                              std::to_string(others));
  *data = static_cast<uint32_t>(options.ranks / others);
  program.ranks = options.ranks;
  return success;
}

/// Reads the function's collective operations and items. The exit status.
static int readSchedule(const weir_mesh_info *mesh, uint32_t function,
                        bool isResized, Program &program) {
  std::vector<uint32_t> numbers(mesh->num_collectives);
  for (uint32_t i = 0; i < mesh->num_collectives; ++i) {
    const weir_collective_info &each = mesh->collectives[i];
    if (each.function != function || each.kind == WEIR_OWN_PART)
      continue;
    // The parts of these would have another size.
    if (isResized && each.kind != WEIR_ALL_REDUCE)
      return fail(unsupported,
                  std::string("node '") + each.node +
                      "' exchanges parts whose size depends on the number of "
                      "ranks: compile the library for as many as --ranks");
    numbers[i] = static_cast<uint32_t>(program.collectives.size());
    program.collectives.push_back({i, static_cast<uint32_t>(each.kind),
                                   each.axes, each.bytes / each.element_bytes,
                                   each.element_bytes, each.node});
  }
  for (uint32_t i = 0; i < mesh->num_items; ++i) {
    const weir_schedule_item &each = mesh->schedule[i];
    if (each.function != function)
      continue;
    Item item{Item::Kind::compute, 0, each.nanoseconds * 1e-9};
    if (each.kind != WEIR_COMPUTE)
      item.kind = each.kind == WEIR_START      ? Item::Kind::start
                  : each.kind == WEIR_PROGRESS ? Item::Kind::progress
                                               : Item::Kind::wait;
    if (each.kind == WEIR_START || each.kind == WEIR_WAIT)
      item.collective = numbers[each.collective];
    program.compute += item.seconds;
    program.items.push_back(item);
  }
  return success;
}

int readProgram(const Options &options, Program &program) {
  library library;
  char error[512];
  if (int status =
          library_open(options.library.c_str(), &library, error, sizeof error))
    return fail(status, error);
  const weir_mesh_info *mesh = library.mesh;
  if (!mesh)
    return fail(badInput, "'" + options.library +
                              "' was compiled without --mesh: it has one rank");
  if (mesh->role)
    return fail(unsupported, "'" + options.library +
                                 "' is a role of weir partition; weir simulate "
                                 "replays libraries that all ranks run");
  int function = findFunction(library.info, options);
  if (function < 0)
    return badUsage;
  program.function = nameOf(library.info, static_cast<uint32_t>(function));
  program.axes.assign(mesh->axes, mesh->axes + mesh->num_axes);
  program.sizes.assign(mesh->sizes, mesh->sizes + mesh->num_axes);
  if (int status = resize(options, program))
    return status;
  if (int status = readSchedule(mesh, static_cast<uint32_t>(function),
                                program.ranks != mesh->ranks, program))
    return status;
  if (!options.compute)
    return success;
  if (!program.compute)
    return fail(badInput, "function '" + program.function +
                              "' computes nothing that --compute could scale");
  double scale = options.compute / program.compute;
  for (Item &item : program.items)
    item.seconds *= scale;
  program.compute = options.compute;
  return success;
}

std::vector<Step> Program::stepsOf(uint32_t collective, uint32_t rank) const {
  const Collective &each = collectives[collective];
  weir_collective c = {};
  c.kind = each.kind;
  c.axes = each.axes;
  c.elements = each.elements;
  c.element_bytes = each.elementBytes;
  weir_group group =
      weir_group_of(static_cast<uint32_t>(sizes.size()), sizes.data(),
                    each.axes, static_cast<int32_t>(rank));
  // First the numbers, then the lists.
  weir_steps list = {nullptr, nullptr, 0, 0};
  weir_add_steps(&c, &group, each.number, &list);
  std::vector<weir_step> made(list.num_steps);
  std::vector<weir_move> moves(list.num_moves);
  list = {made.data(), moves.data(), 0, 0};
  weir_add_steps(&c, &group, each.number, &list);
  std::vector<Step> steps;
  for (const weir_step &step : made) {
    steps.emplace_back();
    steps.back().addedBytes = step.elements * each.elementBytes;
    for (uint32_t i = step.first; i < step.first + step.count; ++i)
      steps.back().moves.push_back({static_cast<uint32_t>(moves[i].peer),
                                    moves[i].tag, moves[i].bytes,
                                    moves[i].send != 0});
  }
  return steps;
}

} // namespace weir::simulate
