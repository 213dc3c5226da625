// Files of the build that the compiler carries: the runtime and its headers.

#include "compiler/emit/Object.h"

// Changes with the files, which ccache does not see that the assembler reads.
#include "compiler/emit/Embedded.h"

// clang-format off
#define EMBED(name, file)                                                      \
  __asm__(".pushsection .rodata\n.balign 16\n.hidden " #name "_begin\n"        \
          #name "_begin:\n.incbin \"" file "\"\n.hidden " #name "_end\n"       \
          #name "_end:\n.byte 0\n.popsection\n");                              \
  extern "C" const char name##_begin[], name##_end[];
// clang-format on

EMBED(weir_embedded_x86_64, WEIR_RUNTIME_DIR "/runtime-x86_64.bc")
EMBED(weir_embedded_aarch64, WEIR_RUNTIME_DIR "/runtime-aarch64.bc")
EMBED(weir_embedded_cuda_x86_64, WEIR_RUNTIME_DIR "/cuda-x86_64.bc")
EMBED(weir_embedded_cuda_aarch64, WEIR_RUNTIME_DIR "/cuda-aarch64.bc")
EMBED(weir_embedded_events_x86_64, WEIR_RUNTIME_DIR "/events-x86_64.bc")
EMBED(weir_embedded_events_aarch64, WEIR_RUNTIME_DIR "/events-aarch64.bc")
EMBED(weir_embedded_state_x86_64, WEIR_RUNTIME_DIR "/state-x86_64.bc")
EMBED(weir_embedded_state_aarch64, WEIR_RUNTIME_DIR "/state-aarch64.bc")
EMBED(weir_embedded_profile_x86_64, WEIR_RUNTIME_DIR "/profile-x86_64.bc")
EMBED(weir_embedded_profile_aarch64, WEIR_RUNTIME_DIR "/profile-aarch64.bc")
EMBED(weir_embedded_mesh_x86_64, WEIR_RUNTIME_DIR "/mesh-x86_64.bc")
EMBED(weir_embedded_mesh_aarch64, WEIR_RUNTIME_DIR "/mesh-aarch64.bc")
EMBED(weir_embedded_mesh_state_x86_64, WEIR_RUNTIME_DIR "/mesh-state-x86_64.bc")
EMBED(weir_embedded_mesh_state_aarch64,
      WEIR_RUNTIME_DIR "/mesh-state-aarch64.bc")
EMBED(weir_embedded_sim, WEIR_RUNTIME_DIR "/sim-x86_64.bc")
EMBED(weir_embedded_runner, WEIR_RUNNER)
EMBED(weir_embedded_header, WEIR_RUNTIME_HEADER)
EMBED(weir_embedded_gpu_header, WEIR_GPU_HEADER)
EMBED(weir_embedded_profile_header, WEIR_PROFILE_HEADER)
EMBED(weir_embedded_mesh_header, WEIR_MESH_HEADER)
EMBED(weir_embedded_cpp_types, WEIR_CPP_TYPES)
EMBED(weir_embedded_cpp_header, WEIR_CPP_HEADER)

namespace weir {

static llvm::StringRef between(const char *begin, const char *end) {
  return {begin, size_t(end - begin)};
}

llvm::StringRef runtimeBitcode(llvm::StringRef arch) {
  if (arch == "x86_64")
    return between(weir_embedded_x86_64_begin, weir_embedded_x86_64_end);
  if (arch == "aarch64")
    return between(weir_embedded_aarch64_begin, weir_embedded_aarch64_end);
  return {};
}

llvm::StringRef cudaBitcode(llvm::StringRef arch) {
  if (arch == "x86_64")
    return between(weir_embedded_cuda_x86_64_begin,
                   weir_embedded_cuda_x86_64_end);
  if (arch == "aarch64")
    return between(weir_embedded_cuda_aarch64_begin,
                   weir_embedded_cuda_aarch64_end);
  return {};
}

llvm::StringRef eventsBitcode(llvm::StringRef arch) {
  if (arch == "x86_64")
    return between(weir_embedded_events_x86_64_begin,
                   weir_embedded_events_x86_64_end);
  if (arch == "aarch64")
    return between(weir_embedded_events_aarch64_begin,
                   weir_embedded_events_aarch64_end);
  return {};
}

llvm::StringRef stateBitcode(llvm::StringRef arch) {
  if (arch == "x86_64")
    return between(weir_embedded_state_x86_64_begin,
                   weir_embedded_state_x86_64_end);
  if (arch == "aarch64")
    return between(weir_embedded_state_aarch64_begin,
                   weir_embedded_state_aarch64_end);
  return {};
}

llvm::StringRef profileBitcode(llvm::StringRef arch) {
  if (arch == "x86_64")
    return between(weir_embedded_profile_x86_64_begin,
                   weir_embedded_profile_x86_64_end);
  if (arch == "aarch64")
    return between(weir_embedded_profile_aarch64_begin,
                   weir_embedded_profile_aarch64_end);
  return {};
}

llvm::StringRef meshBitcode(llvm::StringRef arch) {
  if (arch == "x86_64")
    return between(weir_embedded_mesh_x86_64_begin,
                   weir_embedded_mesh_x86_64_end);
  if (arch == "aarch64")
    return between(weir_embedded_mesh_aarch64_begin,
                   weir_embedded_mesh_aarch64_end);
  return {};
}

llvm::StringRef meshStateBitcode(llvm::StringRef arch) {
  if (arch == "x86_64")
    return between(weir_embedded_mesh_state_x86_64_begin,
                   weir_embedded_mesh_state_x86_64_end);
  if (arch == "aarch64")
    return between(weir_embedded_mesh_state_aarch64_begin,
                   weir_embedded_mesh_state_aarch64_end);
  return {};
}

llvm::StringRef simulatorBitcode() {
  return between(weir_embedded_sim_begin, weir_embedded_sim_end);
}

llvm::StringRef runnerBitcode(llvm::StringRef arch) {
  if (arch != WEIR_HOST_ARCH)
    return {};
  return between(weir_embedded_runner_begin, weir_embedded_runner_end);
}

llvm::StringRef runtimeHeader() {
  return between(weir_embedded_header_begin, weir_embedded_header_end);
}

llvm::StringRef gpuHeader() {
  return between(weir_embedded_gpu_header_begin, weir_embedded_gpu_header_end);
}

llvm::StringRef profileHeader() {
  return between(weir_embedded_profile_header_begin,
                 weir_embedded_profile_header_end);
}

llvm::StringRef meshHeader() {
  return between(weir_embedded_mesh_header_begin,
                 weir_embedded_mesh_header_end);
}

std::array<llvm::StringRef, 2> cppHeaders() {
  return {
      between(weir_embedded_cpp_types_begin, weir_embedded_cpp_types_end),
      between(weir_embedded_cpp_header_begin, weir_embedded_cpp_header_end)};
}

} // namespace weir
