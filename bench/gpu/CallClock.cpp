// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bench/gpu/CallClock.h"

#include "bench/gpu/RawMatmul.h"
#include "runtime/target/cuda/library/Cudnn.h"

namespace graphc::bench {

using namespace runtime;

struct CallClock::State {
  explicit State(const CudaDevice &device) : device(device) {}

  void time(const char *name, cuda::Stream queue, const Work &call,
            std::optional<Work> other);
  void timeProduct(const MatmulCall &ours, const CublasLt &library,
                   cuda::Stream queue);
  std::optional<Work> copy() const;

  const CudaDevice &device;
  Beside beside = Beside::Nothing;
  std::unique_ptr<DeviceClock> clock;
  CudaBuffer from, to; ///< of Beside::Copy
  bool isOn = false;
  Status failure;
  std::vector<TimedCall> calls;
};

namespace {

CallClock::State *gClock = nullptr;
/// Stream of cuDNN's calls, which name none.
cuda::Stream gCudnnStream = nullptr;

Status toStatus(int result, const char *name) {
  return result == 0 ? Status::ok()
                     : internalError(std::string(name) + " failed with " +
                                     std::to_string(result));
}

/// The one among a call's arguments, or cuDNN's.
template <typename... Arguments> cuda::Stream streamOf(Arguments... arguments) {
  cuda::Stream found = gCudnnStream;
  auto look = [&](auto argument) {
    if constexpr (std::is_same_v<decltype(argument), cuda::Stream>)
      found = argument;
  };
  (look(arguments), ...);
  return found;
}

/// Stands in for a function of a table.
template <auto Member> struct Timed;
template <typename Table, typename... Arguments,
          int (*Table::*Member)(Arguments...)>
struct Timed<Member> {
  static inline int (*real)(Arguments...) = nullptr;
  static inline const char *name = "";

  static int call(Arguments... arguments) {
    if (gClock && gClock->isOn)
      gClock->time(
          name, streamOf(arguments...),
          [=](cuda::Stream) { return toStatus(real(arguments...), name); },
          gClock->copy());
    return real(arguments...);
  }
};

/// The tables are of variables that only their functions load() hand out as
/// constants.
template <auto Member, typename Table>
void replace(const Table *table, const char *name) {
  auto &function = const_cast<Table *>(table)->*Member;
  Timed<Member>::name = name;
  Timed<Member>::real = std::exchange(function, &Timed<Member>::call);
}

CublasLt gRealCublasLt;

cublaslt::Result matmul(cublaslt::Handle handle, cublaslt::MatmulDesc operation,
                        const void *alpha, const void *a,
                        cublaslt::MatrixLayout aLayout, const void *b,
                        cublaslt::MatrixLayout bLayout, const void *beta,
                        const void *c, cublaslt::MatrixLayout cLayout, void *d,
                        cublaslt::MatrixLayout dLayout,
                        const cublaslt::Algorithm *algorithm, void *workspace,
                        size_t workspaceBytes, cuda::Stream stream) {
  if (gClock && gClock->isOn)
    gClock->timeProduct({handle, operation, alpha, a, aLayout, b, bLayout, beta,
                         c, cLayout, d, dLayout, algorithm, workspace,
                         workspaceBytes},
                        gRealCublasLt, stream);
  return gRealCublasLt.matmul(handle, operation, alpha, a, aLayout, b, bLayout,
                              beta, c, cLayout, d, dLayout, algorithm,
                              workspace, workspaceBytes, stream);
}

cudnn::Result (*gRealSetStream)(cudnn::Handle, cuda::Stream) = nullptr;

cudnn::Result setStream(cudnn::Handle handle, cuda::Stream stream) {
  gCudnnStream = stream;
  return gRealSetStream(handle, stream);
}

void replaceAll(const CudaApi &api) {
  replace<&CudaApi::launchKernel>(&api, "cuLaunchKernel");
  replace<&CudaApi::copyToDeviceAsync>(&api, "cuMemcpyHtoDAsync");
  replace<&CudaApi::copyToHostAsync>(&api, "cuMemcpyDtoHAsync");
  replace<&CudaApi::copyOnDeviceAsync>(&api, "cuMemcpyDtoDAsync");
  replace<&CudaApi::fillBytesAsync>(&api, "cuMemsetD8Async");
  replace<&CudaApi::fillWordsAsync>(&api, "cuMemsetD32Async");
  // A model that needs a library which is not there says so itself.
  if (StatusOr<const CublasLt *> library = CublasLt::load(); library.isOk()) {
    gRealCublasLt = **library;
    const_cast<CublasLt *>(*library)->matmul = matmul;
  }
  if (StatusOr<const Cudnn *> library = Cudnn::load(); library.isOk()) {
    gRealSetStream =
        std::exchange(const_cast<Cudnn *>(*library)->setStream, setStream);
    replace<&Cudnn::forward>(*library, "cudnnConvolutionForward");
    replace<&Cudnn::forwardWithBias>(*library,
                                     "cudnnConvolutionBiasActivationForward");
    replace<&Cudnn::backwardData>(*library, "cudnnConvolutionBackwardData");
    replace<&Cudnn::backwardFilter>(*library, "cudnnConvolutionBackwardFilter");
  }
}

} // namespace

std::optional<Work> CallClock::State::copy() const {
  if (beside != Beside::Copy)
    return std::nullopt;
  return [this](cuda::Stream queue) {
    return toStatus(Timed<&CudaApi::copyOnDeviceAsync>::real(
                        to.address(), from.address(), from.size(), queue),
                    "a copy");
  };
}

void CallClock::State::time(const char *name, cuda::Stream queue,
                            const Work &call, std::optional<Work> other) {
  // What is measured calls the functions that are replaced.
  isOn = false;
  std::vector<Work> works = {call};
  if (other)
    works.push_back(*other);
  StatusOr<std::vector<double>> seconds = clock->measure(queue, works);
  if (!seconds.isOk()) {
    failure = seconds.status().annotate(name);
    return;
  }
  TimedCall timed{name, (*seconds)[0], std::nullopt};
  if (other)
    timed.besideSeconds = (*seconds)[1];
  calls.push_back(std::move(timed));
  isOn = true;
}

void CallClock::State::timeProduct(const MatmulCall &ours,
                                   const CublasLt &library,
                                   cuda::Stream queue) {
  auto work = [&library](const MatmulCall &call) -> Work {
    return [&](cuda::Stream stream) { return call.enqueue(library, stream); };
  };
  std::unique_ptr<RawMatmul> raw;
  std::optional<Work> other = copy();
  if (beside == Beside::RawMatmul) {
    StatusOr<std::unique_ptr<RawMatmul>> made =
        RawMatmul::create(device, library, ours);
    if (!made.isOk()) {
      failure = made.status();
      isOn = false;
      return;
    }
    raw = std::move(*made);
    other = work(raw->call());
  }
  time("cublasLtMatmul", queue, work(ours), other);
}

CallClock::CallClock(std::unique_ptr<State> state) : state(std::move(state)) {}
CallClock::~CallClock() { gClock = nullptr; }

StatusOr<std::unique_ptr<CallClock>>
CallClock::install(const CudaDevice &device, const Effort &effort,
                   Beside beside, size_t stepBytes) {
  auto state = std::make_unique<State>(device);
  state->beside = beside;
  GRAPHC_ASSIGN_OR_RETURN(state->clock, DeviceClock::create(device, effort));
  if (beside == Beside::Copy)
    for (CudaBuffer *buffer : {&state->from, &state->to}) {
      // A copy of some bytes reads and writes them.
      GRAPHC_ASSIGN_OR_RETURN(
          *buffer, CudaBuffer::allocate(device, stepBytes / 2, "a copy"));
      GRAPHC_TRY(buffer->clear());
    }
  replaceAll(device.api());
  gClock = state.get();
  return std::unique_ptr<CallClock>(new CallClock(std::move(state)));
}

void CallClock::start() {
  state->calls.clear();
  state->isOn = true;
}

StatusOr<std::vector<TimedCall>> CallClock::stop() {
  state->isOn = false;
  GRAPHC_TRY(state->failure);
  return state->calls;
}

} // namespace graphc::bench
