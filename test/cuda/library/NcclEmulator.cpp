// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stands in for libnccl in tests: the calls that the runtime makes, with strict
// checks. All ranks of a sum are in one process; one piece of work of the
// emulated driver does it, which the streams of all ranks wait for.
//
// GRAPHC_EMULATED_NCCL_FAILURE=N lets the N-th group fail; 0: the start.
#include "runtime/target/cuda/library/Nccl.h"
#include "test/cuda/emulator/api/DriverApi.h"
#include "test/cuda/library/LibraryCall.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <memory>
#include <vector>

using namespace graphc::runtime::nccl;
using graphc::runtime::cuda::Stream;

namespace {

/// The communicators that one start made.
struct Clique {
  std::vector<Comm> ranks;
};

/// Call of a rank in a group that is open.
struct Call {
  Comm comm;
  GraphcEmulatorRange source, target;
  CUstream stream;
};

} // namespace

namespace graphc::runtime::nccl {
struct NcclCommRecord {
  std::shared_ptr<Clique> clique;
  int device = 0;
  CUcontext context = nullptr;
  CUevent event = nullptr;
};
} // namespace graphc::runtime::nccl

namespace {

constexpr Result kUnhandledCudaError = 1;
constexpr Result kInvalidArgument = 4;
constexpr Result kInvalidUsage = 5;

thread_local int depth = 0;
thread_local std::vector<Call> calls;
std::atomic<int> groups{0};

Result refuse(Result code, const char *why) {
  return graphc::emulator::refuseCall("NCCL", code, why);
}

bool isToFail(int number) {
  const char *text = std::getenv("GRAPHC_EMULATED_NCCL_FAILURE");
  return text && std::atoi(text) == number;
}

/// The calling thread's device is what it was when this ends.
class Current {
public:
  Current() { cuCtxGetCurrent(&before); }
  ~Current() { cuCtxSetCurrent(before); }

private:
  CUcontext before = nullptr;
};

Result start(NcclCommRecord &comm) {
  bool isStarted =
      cuDevicePrimaryCtxRetain(&comm.context, comm.device) == CUDA_SUCCESS &&
      cuCtxSetCurrent(comm.context) == CUDA_SUCCESS &&
      cuEventCreate(&comm.event, CU_EVENT_DISABLE_TIMING) == CUDA_SUCCESS;
  return isStarted ? 0 : kUnhandledCudaError;
}

bool overlap(const GraphcEmulatorRange &a, const GraphcEmulatorRange &b) {
  return a.address < b.address + b.bytes && b.address < a.address + a.bytes;
}

/// One call per rank of a clique, in the order of the ranks.
Result check(const std::vector<Call> &terms) {
  for (const Call &term : terms) {
    if (term.source.bytes != terms[0].source.bytes)
      return refuse(kInvalidArgument, "the ranks' counts differ");
    if (term.source.address != term.target.address &&
        overlap(term.source, term.target))
      return refuse(kInvalidArgument, "source and target overlap");
  }
  return 0;
}

struct Problem {
  size_t ranks, count;
};

void addUp(void *const *reads, void *const *writes, const void *arguments) {
  const auto &problem = *static_cast<const Problem *>(arguments);
  // A target may be a source.
  std::vector<float> sums(problem.count);
  for (size_t i = 0; i < problem.count; ++i) {
    double sum = 0;
    for (size_t rank = 0; rank < problem.ranks; ++rank)
      sum += static_cast<const float *>(reads[rank])[i];
    sums[i] = static_cast<float>(sum);
  }
  for (size_t rank = 0; rank < problem.ranks; ++rank)
    std::copy(sums.begin(), sums.end(), static_cast<float *>(writes[rank]));
}

CUresult record(const Call &call) {
  CUresult result = cuCtxSetCurrent(call.comm->context);
  return result == CUDA_SUCCESS ? cuEventRecord(call.comm->event, call.stream)
                                : result;
}

/// Joins the streams of all ranks before and after the work.
CUresult submit(const std::vector<Call> &terms) {
  std::vector<GraphcEmulatorRange> reads, writes;
  const Call &first = terms[0];
  for (const Call &term : terms) {
    reads.push_back(term.source);
    writes.push_back(term.target);
    if (CUresult result = record(term))
      return result;
  }
  if (CUresult result = cuCtxSetCurrent(first.comm->context))
    return result;
  for (const Call &term : terms)
    if (CUresult result = cuStreamWaitEvent(first.stream, term.comm->event, 0))
      return result;
  Problem problem = {terms.size(), first.source.bytes / sizeof(float)};
  if (CUresult result = graphcEmulatorEnqueue(
          first.stream, "ncclAllReduce", reads.data(), reads.size(),
          writes.data(), writes.size(), addUp, &problem, sizeof(problem)))
    return result;
  if (CUresult result = record(first))
    return result;
  for (const Call &term : terms)
    if (CUresult result = cuStreamWaitEvent(term.stream, first.comm->event, 0))
      return result;
  return CUDA_SUCCESS;
}

/// Takes the first call of each rank of a clique from `open`.
Result takeTerms(const Clique &clique, std::vector<Call> &open,
                 std::vector<Call> &terms) {
  for (Comm comm : clique.ranks) {
    auto found = std::find_if(open.begin(), open.end(), [&](const Call &call) {
      return call.comm == comm;
    });
    if (found == open.end())
      return refuse(kInvalidUsage, "a rank of the communicator has no call in "
                                   "this group, so the others would wait "
                                   "for ever");
    terms.push_back(*found);
    open.erase(found);
  }
  return 0;
}

Result destroy(Comm comm) {
  Current current;
  if (cuCtxSetCurrent(comm->context) == CUDA_SUCCESS)
    cuEventDestroy_v2(comm->event);
  cuDevicePrimaryCtxRelease_v2(comm->device);
  delete comm;
  return 0;
}

} // namespace

GRAPHC_CUDA const char *ncclGetErrorString(Result result) {
  return result == 0                     ? "no error"
         : result == kUnhandledCudaError ? "unhandled cuda error"
         : result == kInvalidArgument    ? "invalid argument"
         : result == kInvalidUsage       ? "invalid usage"
                                         : "internal error";
}

GRAPHC_CUDA Result ncclGetVersion(int *version) {
  *version = 22809;
  return 0;
}

GRAPHC_CUDA Result ncclCommInitAll(Comm *comms, int count, const int *devices) {
  if (isToFail(0))
    return refuse(kUnhandledCudaError, "the start is to fail");
  for (int i = 0; i < count; ++i)
    if (std::count(devices, devices + count, devices[i]) > 1)
      return refuse(kInvalidUsage, "two ranks are on the same GPU");
  Current current;
  auto clique = std::make_shared<Clique>();
  for (int i = 0; i < count; ++i) {
    comms[i] = new NcclCommRecord{clique, devices[i]};
    clique->ranks.push_back(comms[i]);
    if (Result result = start(*comms[i]))
      return result;
  }
  return 0;
}

GRAPHC_CUDA Result ncclCommDestroy(Comm comm) { return destroy(comm); }
GRAPHC_CUDA Result ncclCommAbort(Comm comm) { return destroy(comm); }

GRAPHC_CUDA Result ncclCommGetAsyncError(Comm, Result *error) {
  *error = 0;
  return 0;
}

GRAPHC_CUDA Result ncclGroupStart() {
  ++depth;
  return 0;
}

GRAPHC_CUDA Result ncclAllReduce(const void *source, void *target, size_t count,
                                 int type, int operation, Comm comm,
                                 Stream stream) {
  if (type != kFloat32 || operation != kSum)
    return refuse(kInvalidArgument, "only sums of float32 are emulated");
  if (depth == 0)
    return refuse(kInvalidUsage,
                  "a thread that has several ranks calls outside "
                  "of a group, which would wait for ever");
  size_t bytes = count * sizeof(float);
  calls.push_back({comm,
                   {reinterpret_cast<CUdeviceptr>(source), bytes},
                   {reinterpret_cast<CUdeviceptr>(target), bytes},
                   reinterpret_cast<CUstream>(stream)});
  return 0;
}

GRAPHC_CUDA Result ncclGroupEnd() {
  if (depth == 0)
    return refuse(kInvalidUsage, "no group is open");
  if (--depth > 0)
    return 0;
  std::vector<Call> open = std::move(calls);
  calls.clear();
  if (isToFail(++groups))
    return refuse(kUnhandledCudaError, "this group is to fail");
  Current current;
  while (!open.empty()) {
    std::vector<Call> terms;
    if (Result result = takeTerms(*open[0].comm->clique, open, terms))
      return result;
    if (Result result = check(terms))
      return result;
    if (submit(terms) != CUDA_SUCCESS)
      return kUnhandledCudaError;
  }
  return 0;
}
