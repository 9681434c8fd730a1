// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels of the kinds that graphc makes, and the same with a bug each. The PTX
// beside is what LLVM makes of this file, so that tests need no NVPTX back end:
//   clang --target=nvptx64-nvidia-cuda -march=sm_80 -O2 -S -nocudalib
//         kernels.c -o kernels.ptx
#define GLOBAL __attribute__((address_space(1)))
#define SHARED __attribute__((address_space(3)))
#define KERNEL __attribute__((nvptx_kernel)) void

typedef float Float4 __attribute__((vector_size(16)));

static unsigned thread(void) { return __nvvm_read_ptx_sreg_tid_x(); }
static unsigned block(void) { return __nvvm_read_ptx_sreg_ctaid_x(); }
static unsigned threads(void) { return __nvvm_read_ptx_sreg_ntid_x(); }
static unsigned blocks(void) { return __nvvm_read_ptx_sreg_nctaid_x(); }
static unsigned index(void) { return block() * threads() + thread(); }

static float acrossWarp(float x) {
  for (int lane = 16; lane; lane >>= 1)
    x += __nvvm_shfl_sync_bfly_f32(-1, x, lane, 31);
  return x;
}

static SHARED float partial[32];

static float acrossBlock(float x) {
  x = acrossWarp(x);
  __syncthreads();
  if (thread() % 32 == 0)
    partial[thread() / 32] = x;
  __syncthreads();
  x = 0;
  for (unsigned warp = 0; warp < threads() / 32; ++warp)
    x += partial[warp];
  return x;
}

// A sum of 1000 numbers by one block.
KERNEL sum(GLOBAL float *x, GLOBAL float *y) {
  float total = 0;
  for (unsigned i = thread(); i < 1000; i += threads())
    total += x[i];
  total = acrossBlock(total);
  if (thread() == 0)
    y[0] = total;
}

// Rows of 200, a block each.
KERNEL softmax(GLOBAL float *x, GLOBAL float *y) {
  x += block() * 200;
  y += block() * 200;
  float total = 0;
  for (unsigned i = thread(); i < 200; i += threads())
    total += __nvvm_ex2_approx_f(x[i] * 1.44269504f);
  total = acrossBlock(total);
  for (unsigned i = thread(); i < 200; i += threads())
    y[i] = __nvvm_ex2_approx_f(x[i] * 1.44269504f) / total;
}

static SHARED float tile[32][33];

// 64 x 96 to 96 x 64, in tiles of 32 x 32; 256 threads each.
KERNEL transpose(GLOBAL float *x, GLOBAL float *y) {
  unsigned column = thread() % 32, row = thread() / 32;
  unsigned left = block() % 3 * 32, top = block() / 3 * 32;
  for (unsigned i = row; i < 32; i += 8)
    tile[i][column] = x[(top + i) * 96 + left + column];
  __syncthreads();
  for (unsigned i = row; i < 32; i += 8)
    y[(left + i) * 64 + top + column] = tile[column][i];
}

// 1002 numbers: fours, then the rest.
KERNEL scale(GLOBAL float *x, GLOBAL float *y) {
  GLOBAL Float4 *from = (GLOBAL Float4 *)x;
  GLOBAL Float4 *to = (GLOBAL Float4 *)y;
  for (unsigned i = index(); i < 250; i += threads() * blocks())
    to[i] = from[i] * 3.0f;
  if (index() < 2)
    y[1000 + index()] = x[1000 + index()] * 3.0f;
}

// y[i] += x[i], so that what runs how often and when can be seen.
KERNEL accumulate(GLOBAL float *x, GLOBAL float *y) {
  y[index()] += x[index()];
}

// A loop that is left at another time by each thread, and a switch.
KERNEL diverge(GLOBAL unsigned *x, GLOBAL unsigned *y) {
  unsigned n = x[index()], steps = 0;
  while (n != 1) {
    n = n % 2 ? 3 * n + 1 : n / 2;
    ++steps;
  }
  switch (x[index()] % 6) {
  case 0:
    steps += 100;
    break;
  case 1:
    steps *= 3;
    break;
  case 2:
    steps -= x[0];
    break;
  case 3:
    steps ^= 0x55;
    break;
  case 4:
    steps <<= 4;
    break;
  default:
    steps = ~steps;
  }
  y[index()] = steps;
}

// Philox's multiplications, and the conversion to [0, 1).
KERNEL philox(GLOBAL unsigned *key, GLOBAL float *y) {
  unsigned c[4] = {index(), 0, 0, 0}, k[2] = {key[0], key[1]};
  for (int round = 0; round < 10; ++round) {
    unsigned long long a = 0xD2511F53ull * c[0], b = 0xCD9E8D57ull * c[2];
    c[0] = (unsigned)(b >> 32) ^ c[1] ^ k[0];
    c[1] = (unsigned)b;
    c[2] = (unsigned)(a >> 32) ^ c[3] ^ k[1];
    c[3] = (unsigned)a;
    k[0] += 0x9E3779B9u;
    k[1] += 0xBB67AE85u;
  }
  for (int i = 0; i < 4; ++i)
    y[4 * index() + i] = (c[i] >> 9) * 0x1p-23f;
}

// The bugs.

KERNEL missing_barrier(GLOBAL float *x, GLOBAL float *y) {
  SHARED float *memory = &tile[0][0];
  memory[thread()] = x[thread()];
  y[thread()] = memory[threads() - 1 - thread()];
}

KERNEL off_by_one(GLOBAL float *x, GLOBAL float *y) {
  if (index() <= 100)
    y[index()] = x[index() % 100];
}

KERNEL thread_race(GLOBAL float *x, GLOBAL float *y) {
  y[thread() / 2] = x[thread()];
}

KERNEL block_race(GLOBAL float *x, GLOBAL float *y) {
  y[thread()] += x[index()];
}

KERNEL divergent_barrier(GLOBAL float *x, GLOBAL float *y) {
  SHARED float *memory = &tile[0][0];
  memory[thread()] = x[thread()];
  if (x[thread()] > 0)
    __syncthreads();
  y[thread()] = memory[thread()];
}

KERNEL endless(GLOBAL volatile float *x, GLOBAL float *y) {
  while (x[0] == 0)
    ;
}
