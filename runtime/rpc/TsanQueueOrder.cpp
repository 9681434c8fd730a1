// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tells ThreadSanitizer about the order that gRPC's completion queues keep:
// what was done before an operation began is seen by the thread that takes its
// tag out. gRPC keeps it by locks and atomics in libraries that are built
// without the sanitizer, which therefore sees none of them. These functions
// stand before the libraries' own. Only in builds for ThreadSanitizer.
#include <dlfcn.h>
#include <grpc/grpc.h>
#include <sanitizer/tsan_interface.h>

/// Begins every operation, be it of a call, a server or an alarm. Internal to
/// gRPC 1.51: a version without it shows as races in all tests.
bool grpc_cq_begin_op(grpc_completion_queue *queue, void *tag);

namespace {

/// The library's function that one of this file replaces.
template <typename Function>
Function *original(Function *, const char *symbol) {
  return reinterpret_cast<Function *>(dlsym(RTLD_NEXT, symbol));
}

grpc_event taken(grpc_event event) {
  if (event.type == GRPC_OP_COMPLETE)
    __tsan_acquire(event.tag);
  return event;
}

} // namespace

bool grpc_cq_begin_op(grpc_completion_queue *queue, void *tag) {
  static const auto next = original(
      grpc_cq_begin_op, "_Z16grpc_cq_begin_opP21grpc_completion_queuePv");
  __tsan_release(tag);
  return next(queue, tag);
}

grpc_event grpc_completion_queue_next(grpc_completion_queue *queue,
                                      gpr_timespec deadline, void *reserved) {
  static const auto next =
      original(grpc_completion_queue_next, "grpc_completion_queue_next");
  return taken(next(queue, deadline, reserved));
}

grpc_event grpc_completion_queue_pluck(grpc_completion_queue *queue, void *tag,
                                       gpr_timespec deadline, void *reserved) {
  static const auto next =
      original(grpc_completion_queue_pluck, "grpc_completion_queue_pluck");
  return taken(next(queue, tag, deadline, reserved));
}
