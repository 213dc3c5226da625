// What simulated kernels and the simulator of a GPU agree on. The compiler
// builds weir_sim_kernels in LLVM IR and fills in the numbers of the fields
// (compiler/emit/Simulate.cpp): change both together.
#ifndef WEIR_RUNTIME_SIM_SIM_H
#define WEIR_RUNTIME_SIM_SIM_H

#include <stddef.h>
#include <stdint.h>

// One thread of a block, as its kernel sees it.
typedef struct weir_sim_thread {
  uint32_t thread[3], block[3], threads[3], blocks[3];
  char *shared; // the block's memory
  void *block_state;
} weir_sim_thread;

typedef void weir_sim_code(void *const *args, weir_sim_thread *thread);

typedef struct weir_sim_kernel {
  weir_sim_code *code;
  uint32_t shared_bytes; // of static shared memory
  uint32_t meets;        // whether its threads wait for each other
} weir_sim_kernel;

extern const weir_sim_kernel weir_sim_kernels[];

// The state, in the arena after the model's buffers. Kernels with barriers have
// shared memory and a stack for each thread after it.
typedef struct weir_sim {
  uint32_t failed; // the number of the check that failed, 0: none
  uint32_t zero[11];
  // What the host's parts of functions get, as weir_gpu_host has it.
  char *memory;
  const void *weights;
} weir_sim;

// As much shared memory as any GPU has for a block, and all that a block needs
// beside stacks.
enum {
  WEIR_SIM_SHARED = 227 << 10,
  WEIR_SIM_BLOCK = 704 << 10,
  WEIR_SIM_STACK = 64 << 10
};

int32_t weir_sim_begin(weir_sim *sim, char *memory, const void *weights);
// What the entry answers whose work answered `answer`.
int32_t weir_sim_end(weir_sim *sim, int32_t answer);

// As runtime/cuda/gpu.h has them.
int32_t weir_gpu_launch(weir_sim *sim, uint32_t kernel, uint32_t gx,
                        uint32_t gy, uint32_t gz, uint32_t bx, uint32_t by,
                        uint32_t bz, uint32_t shared_bytes, void **args,
                        uint32_t num_args);
int32_t weir_gpu_copy(weir_sim *sim, void *target, const void *source,
                      uint64_t bytes);
int32_t weir_gpu_fill(weir_sim *sim, void *target, int32_t value,
                      uint64_t bytes);
int32_t weir_gpu_read(weir_sim *sim, void *host_target,
                      const void *device_source, uint64_t bytes);
int32_t weir_gpu_check(weir_sim *sim, const void *passed, uint32_t number);
int32_t weir_gpu_to_host(weir_sim *sim, uint64_t at, const void *source,
                         uint64_t bytes);
int32_t weir_gpu_from_host(weir_sim *sim, void *target, uint64_t at,
                           uint64_t bytes);
int32_t weir_gpu_on_host(weir_sim *sim, void (*code)(void *host));

// For threads of a block that meet: all of them, or those of a warp.
void weir_sim_barrier(weir_sim_thread *thread);
// The value that lane `from` gives; one's own where that is no lane.
uint32_t weir_sim_shuffle(weir_sim_thread *thread, uint32_t value,
                          uint32_t from);
// mma.m16n8k16 of a warp, for f16 or bf16, or mma.m16n8k8 for tf32. `sides` are
// a lane's four words of the left side and two of the right one. The products
// of the warp are added to its four `sums`.
enum { WEIR_SIM_BF16, WEIR_SIM_F16, WEIR_SIM_TF32 };
void weir_sim_multiply(weir_sim_thread *thread, uint32_t kind,
                       const uint32_t sides[6], float sums[4]);
// ldmatrix of four matrices, whose rows of 16 bytes the lanes have addresses
// of: a lane's four words. With `transposed` words are pairs of a column's.
void weir_sim_load_matrices(weir_sim_thread *thread, const void *row,
                            uint32_t transposed, uint32_t words[4]);
// cp.async: `valid` bytes of the source and zeros behind them will be at the
// target when the thread has waited for the group that the copy is in, and not
// before. A target that is not aligned to the bytes fails the launch.
void weir_sim_copy(weir_sim_thread *thread, void *target, const void *source,
                   uint32_t bytes, uint32_t valid);
void weir_sim_end_group(weir_sim_thread *thread);
// Waits for all groups of the thread but the last `groups`.
void weir_sim_wait(weir_sim_thread *thread, uint32_t groups);

// wgmma: asynchronous products of groups of four warps. The launch fails at
// undefined behaviour of a GPU: registers are used without a fence, or
// descriptors differ between threads. It fails too if data is read that was not
// published before a barrier, or that is being overwritten.

// fence.proxy.async: makes what the thread copied known to groups.
void weir_sim_publish(weir_sim_thread *thread);
// wgmma.fence
void weir_sim_fence(weir_sim_thread *thread);
// wgmma.mma_async.m64nNk16 of f16 or bf16, of which both sides are in shared
// memory, where descriptors say (with swizzles of 128 bytes); `transposed` has
// bit 0 for a left side and bit 1 for a right side whose lines lie across the
// depth. The thread's N / 2 sums become no numbers, which stand for those on
// their way: they may be given to the next product.
void weir_sim_begin_product(weir_sim_thread *thread, uint32_t kind,
                            uint32_t columns, uint64_t left, uint64_t right,
                            uint32_t transposed, float *sums);
// wgmma.commit_group
void weir_sim_end_batch(weir_sim_thread *thread);
// wgmma.wait_group: waits for all batches but the last `batches`; sums that
// stand for those on their way become numbers if there are none left.
void weir_sim_wait_batches(weir_sim_thread *thread, uint32_t batches,
                           uint32_t count, float *sums);

// The nearest tf32, of two the one away from 0; a NaN is one.
uint32_t weir_sim_round_tf32(float value);

#endif
