// A compiled model, opened and found without knowing its prefix: the dynamic
// symbols hold one NAME_info beside NAME_create and NAME_status_text.

#define _GNU_SOURCE
#include "tools/run/library.h"
#include "tools/run/status.h"

#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static const void *within(const char *file, size_t bytes, uint64_t offset,
                          uint64_t length) {
  return offset <= bytes && length <= bytes - offset ? file + offset : NULL;
}

/// The dynamic symbols of a file and their names, which end in a zero.
struct symbols {
  const Elf64_Sym *all;
  uint64_t count;
  const char *text;
  uint64_t text_bytes;
};

/// The name of a symbol that the file defines, or null.
static const char *name_of_symbol(const struct symbols *symbols, uint64_t k) {
  const Elf64_Sym *symbol = &symbols->all[k];
  return symbol->st_shndx != SHN_UNDEF && symbol->st_name < symbols->text_bytes
             ? symbols->text + symbol->st_name
             : NULL;
}

/// Whether the file defines the symbol `prefix` (of `length` bytes) and
/// `ending`.
static int defines(const struct symbols *symbols, const char *prefix,
                   size_t length, const char *ending) {
  for (uint64_t k = 0; k < symbols->count; ++k) {
    const char *name = name_of_symbol(symbols, k);
    if (name && !strncmp(name, prefix, length) &&
        !strcmp(name + length, ending))
      return 1;
  }
  return 0;
}

/// The name of a dynamic symbol of the shape NAME_info, or null. Other
/// libraries have such symbols, too, but no two more of that prefix.
static const char *find_info(const char *file, size_t bytes) {
  const Elf64_Ehdr *head = within(file, bytes, 0, sizeof *head);
  if (!head || memcmp(head->e_ident, ELFMAG, SELFMAG) ||
      head->e_ident[EI_CLASS] != ELFCLASS64 || head->e_type != ET_DYN ||
      head->e_shentsize != sizeof(Elf64_Shdr))
    return NULL;
  const Elf64_Shdr *sections = within(
      file, bytes, head->e_shoff, (uint64_t)head->e_shnum * sizeof *sections);
  for (int i = 0; sections && i < head->e_shnum; ++i) {
    if (sections[i].sh_type != SHT_DYNSYM ||
        sections[i].sh_link >= head->e_shnum)
      continue;
    const Elf64_Shdr *names = &sections[sections[i].sh_link];
    const char *text = within(file, bytes, names->sh_offset, names->sh_size);
    const Elf64_Sym *all =
        within(file, bytes, sections[i].sh_offset, sections[i].sh_size);
    if (!text || !all || !names->sh_size || text[names->sh_size - 1])
      return NULL;
    struct symbols symbols = {all, sections[i].sh_size / sizeof *all, text,
                              names->sh_size};
    for (uint64_t k = 0; k < symbols.count; ++k) {
      const char *name = name_of_symbol(&symbols, k);
      size_t length = name ? strlen(name) : 0;
      if (length > 5 && !strcmp(name + length - 5, "_info") &&
          defines(&symbols, name, length - 4, "create") &&
          defines(&symbols, name, length - 4, "status_text"))
        return name;
    }
  }
  return NULL;
}

/// What ELF calls the processor that this program runs on.
#if defined(__x86_64__)
enum { host = EM_X86_64 };
#elif defined(__aarch64__)
enum { host = EM_AARCH64 };
#else
enum { host = EM_NONE };
#endif

static const char *name_of_machine(int machine) {
  return machine == EM_X86_64    ? "x86-64"
         : machine == EM_AARCH64 ? "aarch64"
                                 : "another architecture";
}

/// The architecture of a library, which is the program's own where nothing else
/// is known. Of another one the loader would say that there is no such file.
static int machine_of(const char *file, size_t bytes) {
  const Elf64_Ehdr *head = within(file, bytes, 0, sizeof *head);
  int is_library =
      head && !memcmp(head->e_ident, ELFMAG, SELFMAG) && head->e_type == ET_DYN;
  return is_library && host != EM_NONE ? head->e_machine : host;
}

/// 0, FAULT for what is no library of weir's, or the status of a call of the
/// system that failed, with `errno`.
static int symbol_of_file(const char *path, char *name, size_t size,
                          int *machine) {
  int file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC), status = 0;
  struct stat info;
  if (file < 0)
    return status_of_error(errno);
  if (fstat(file, &info)) {
    status = status_of_error(errno);
  } else if (!S_ISREG(info.st_mode) || info.st_size <= 0) {
    status = FAULT;
  } else {
    size_t bytes = (size_t)info.st_size;
    void *at = mmap(NULL, bytes, PROT_READ, MAP_PRIVATE, file, 0);
    if (at == MAP_FAILED) {
      status = status_of_error(errno);
    } else {
      const char *symbol = find_info(at, bytes);
      *machine = machine_of(at, bytes);
      int found = symbol && snprintf(name, size, "%s", symbol) < (int)size;
      status = found ? 0 : FAULT;
      munmap(at, bytes);
    }
  }
  int why = errno;
  close(file);
  errno = why;
  return status;
}

/// The loader tells in words only why it failed; they end in the system's where
/// a call of the system did. Where memory for a path or a description ends,
/// they say so otherwise, or that a file is absent that is not.
static int status_of_loader(const char *said, const char *path) {
  const int errors[] = {ENOMEM, EAGAIN, EMFILE, ENFILE, EIO, EACCES, EPERM};
  size_t length = strlen(said);
  for (size_t i = 0; i < sizeof errors / sizeof *errors; ++i) {
    const char *words = strerror(errors[i]);
    size_t end = strlen(words);
    if (length >= end && !strcmp(said + length - end, words))
      return status_of_error(errors[i]);
  }
  size_t name = strlen(path);
  const char absent[] = ": cannot open shared object file: ";
  int is_denied = !strncmp(said, path, name) &&
                  !strncmp(said + name, absent, sizeof absent - 1);
  return is_denied || strstr(said, "out of memory") ||
                 strstr(said, ": cannot create ") ||
                 strstr(said, ": cannot allocate ")
             ? LIMIT
             : FAULT;
}

/// The table that the function NAME_`what` of the library returns, or null. A
/// signature may have that name, too.
static const void *find_table(void *handle, const weir_model_info *info,
                              const char *what) {
  char symbol[512];
  const void *(*table)(void) = NULL;
  if (snprintf(symbol, sizeof symbol, "%s_%s", info->prefix, what) >=
      (int)sizeof symbol)
    return NULL;
  for (uint32_t i = 0; i < info->num_functions; ++i)
    if (!strcmp(info->functions[i].symbol, symbol))
      return NULL;
  *(void **)&table = dlsym(handle, symbol);
  return table ? table() : NULL;
}

int library_open(const char *path, struct library *library, char *error,
                 size_t size) {
  char symbol[512], full[4096];
  if (access(path, R_OK)) {
    snprintf(error, size, "cannot read '%s': %s", path, strerror(errno));
    return IO;
  }
  int machine = host;
  int status = symbol_of_file(path, symbol, sizeof symbol, &machine);
  if (status == FAULT)
    snprintf(error, size, "'%s' is not a library that weir compiled", path);
  else if (status)
    snprintf(error, size, "cannot read '%s': %s", path, strerror(errno));
  if (status)
    return status;
  if (machine != host) {
    snprintf(error, size, "'%s' is for %s, and this program runs on %s", path,
             name_of_machine(machine), name_of_machine(host));
    return FAULT;
  }
  // Without a slash dlopen would search the system's folders.
  snprintf(full, sizeof full, "%s%s", strchr(path, '/') ? "" : "./", path);
  void *handle = dlopen(full, RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    const char *said = dlerror();
    int status = said ? status_of_loader(said, full) : LIMIT;
    if (status == LIMIT)
      snprintf(error, size, "cannot load '%s': not enough memory", path);
    else
      snprintf(error, size, "%s", said);
    return status;
  }
  const weir_model_info *(*info)(void);
  *(void **)&info = dlsym(handle, symbol);
  library->info = info ? info() : NULL;
  if (!library->info || library->info->abi_version != WEIR_ABI_VERSION) {
    snprintf(error, size, "'%s' was compiled by another version of weir", path);
    return FAULT;
  }
  library->profile = find_table(handle, library->info, "profile");
  library->mesh = find_table(handle, library->info, "mesh");
  library->weights[0] = 0;
  if (library->info->weights_file) {
    const char *slash = strrchr(path, '/');
    int folder = slash ? (int)(slash - path + 1) : 0;
    snprintf(library->weights, sizeof library->weights, "%.*s%s", folder, path,
             library->info->weights_file);
  }
  return 0;
}

int library_function(const weir_model_info *info, const char *name) {
  for (uint32_t i = 0; i < info->num_functions; ++i)
    if (!strcmp(info->functions[i].name, name ? name : "serving_default"))
      return (int)i;
  return name || !info->num_functions ? -1 : 0;
}

int tensor_is_called(const weir_tensor_info *tensor, const char *name) {
  size_t length = strlen(tensor->tensor), given = strlen(name);
  if (!strcmp(tensor->name, name) || !strcmp(tensor->tensor, name))
    return 1;
  // One of the two may leave out ":0".
  if (length == given + 2 && !strcmp(tensor->tensor + given, ":0"))
    return !strncmp(tensor->tensor, name, given);
  if (given == length + 2 && !strcmp(name + length, ":0"))
    return !strncmp(tensor->tensor, name, length);
  return 0;
}

int64_t whose_shape(const weir_tensor_info *tensors, uint32_t count,
                    uint32_t i) {
  for (uint32_t k = 0; k < count; ++k)
    if (tensors[k].shape_tensor == (int64_t)i)
      return (int64_t)k;
  return -1;
}
