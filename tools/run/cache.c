// Libraries compiled once for each model, number of threads and compiler. A
// file is known again by its size and time, so that a cold start reads no
// model; a model written anew with the same bytes is found by these.

#define _POSIX_C_SOURCE 200809L
#include "tools/run/cache.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static uint64_t mix(uint64_t hash, const void *data, size_t bytes) {
  const unsigned char *p = data;
  for (; bytes >= 8; bytes -= 8, p += 8) {
    uint64_t word;
    memcpy(&word, p, 8);
    hash = (hash ^ word) * 0x9e3779b97f4a7c15;
    hash ^= hash >> 32;
  }
  for (; bytes; --bytes, ++p)
    hash = (hash ^ *p) * 0x100000001b3;
  return hash;
}

static uint64_t mix_stat(uint64_t hash, const struct stat *info) {
  int64_t parts[] = {(int64_t)info->st_size, (int64_t)info->st_mtim.tv_sec,
                     (int64_t)info->st_mtim.tv_nsec, (int64_t)info->st_ino};
  return mix(hash, parts, sizeof parts);
}

static int mix_file(uint64_t *hash, const char *path) {
  static char buffer[1 << 16];
  FILE *file = fopen(path, "rb");
  if (!file)
    return -1;
  size_t got;
  while ((got = fread(buffer, 1, sizeof buffer, file)) > 0)
    *hash = mix(*hash, buffer, got);
  int bad = ferror(file);
  fclose(file);
  return bad ? -1 : 0;
}

static int folder(char *path, size_t size) {
  const char *own = getenv("WEIR_ENGINE_CACHE"), *home = getenv("HOME");
  if (own)
    snprintf(path, size, "%s", own);
  else
    snprintf(path, size, "%s/.cache/weir-engine", home ? home : "/tmp");
  for (char *at = path + 1; *at; ++at)
    if (*at == '/') {
      *at = 0;
      mkdir(path, 0777);
      *at = '/';
    }
  return mkdir(path, 0777) && errno != EEXIST ? -1 : 0;
}

/// Runs the compiler; its messages go to stderr. The exit status, or -1.
static int run_compiler(const char *compiler, const char *model, int threads,
                        const char *output) {
  pid_t child = fork();
  if (child < 0)
    return -1;
  if (child == 0) {
    char option[32];
    snprintf(option, sizeof option, "--threads=%d", threads);
    execl(compiler, compiler, "compile", model, option, "-o", output,
          (char *)NULL);
    _exit(127);
  }
  int status;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR)
      return -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

int cache_compile(const char *model, int threads, char *library,
                  size_t library_size, char *error, size_t error_size) {
  char compiler[4096], dir[4096], whole[4200];
  ssize_t length = readlink("/proc/self/exe", compiler, sizeof compiler - 8);
  if (length <= 0) {
    snprintf(error, error_size, "cannot find this program's own folder");
    return 74;
  }
  compiler[length] = 0;
  strcpy(strrchr(compiler, '/') + 1, "weir");
  struct stat model_info, compiler_info;
  if (stat(model, &model_info) || stat(compiler, &compiler_info)) {
    snprintf(error, error_size, "cannot read '%.400s' or '%.400s'", model,
             compiler);
    return 1;
  }
  if (folder(dir, sizeof dir - 64)) {
    snprintf(error, error_size, "cannot make the folder '%.800s'", dir);
    return 74;
  }
  uint64_t by_compiler = mix_stat((uint64_t)threads, &compiler_info);
  snprintf(library, library_size, "%s/t%016llx.so", dir,
           (unsigned long long)mix_stat(by_compiler, &model_info));
  if (!access(library, R_OK))
    return 0;
  uint64_t by_content = by_compiler;
  if (S_ISREG(model_info.st_mode) && mix_file(&by_content, model)) {
    snprintf(error, error_size, "cannot read '%.400s'", model);
    return 1;
  }
  snprintf(whole, sizeof whole, "%s/c%016llx.so", dir,
           (unsigned long long)by_content);
  int known = S_ISREG(model_info.st_mode) && !access(whole, R_OK);
  int status = known ? 0 : run_compiler(compiler, model, threads, whole);
  if (status) {
    snprintf(error, error_size, "'%.400s' does not compile", model);
    return status < 0 || status == 127 ? 70 : status;
  }
  // Beside each other, however the folder is called from elsewhere.
  unlink(library);
  if (symlink(strrchr(whole, '/') + 1, library))
    snprintf(library, library_size, "%s", whole);
  return 0;
}
