// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks of kernels for GPUs.
#include "dialects/exec/Exec.h"

using namespace mlir;
using namespace graphc::exec;

/// The buffers of a stage; nothing for other ops.
static std::optional<ArrayRef<int64_t>> buffersOf(Operation &stage) {
  if (auto launch = dyn_cast<GpuLaunchOp>(stage))
    return launch.getBuffers();
  if (auto product = dyn_cast<GpuMatmulOp>(stage))
    return product.getBuffers();
  if (auto convolution = dyn_cast<GpuConvolutionOp>(stage))
    return convolution.getBuffers();
  return std::nullopt;
}

LogicalResult GpuKernelOp::verify() {
  ArrayRef<int64_t> parts = getParts(), sizes = getSizes();
  bool fits = parts.size() == sizes.size(); // (C1)
  for (size_t i = 0; fits && i < parts.size(); ++i)
    fits = parts[i] >= 0 && parts[i] % 256 == 0 && sizes[i] >= 0 &&
           sizes[i] <= static_cast<int64_t>(getScratch()) - parts[i];
  if (!fits)
    return emitOpError() << "has parts that do not lie in its scratch memory "
                            "of "
                         << getScratch() << " bytes, at multiples of 256";
  int64_t buffers = getBuffers() + static_cast<int64_t>(parts.size());
  for (Operation &stage : getBody().front()) { // (C2)
    std::optional<ArrayRef<int64_t>> used = buffersOf(stage);
    if (!used)
      return stage.emitOpError() << "is no stage of a GPU's kernel";
    for (int64_t buffer : *used)
      if (buffer < 0 || buffer >= buffers)
        return stage.emitOpError()
               << "takes buffer " << buffer << " of " << buffers;
  }
  return success();
}

static bool hasBias(GpuEpilogue epilogue) {
  return epilogue == GpuEpilogue::Bias || epilogue == GpuEpilogue::BiasRelu;
}

template <typename Op> static LogicalResult verifyBuffers(Op op) {
  size_t expected = hasBias(op.getEpilogue()) ? 5 : 4;
  if (op.getBuffers().size() == expected)
    return success();
  return op.emitOpError() << "has " << op.getBuffers().size()
                          << " buffers; expected " << expected;
}

LogicalResult GpuMatmulOp::verify() {
  if (getShape().size() != 3) // (C1)
    return emitOpError() << "has a shape of " << getShape().size()
                         << " numbers; expected rows, columns and terms";
  return verifyBuffers(*this); // (C2)
}

LogicalResult GpuConvolutionOp::verify() {
  for (ArrayRef<int64_t> shape : {getImages(), getFilter(), getResult()})
    if (shape.size() != 4) // (C1)
      return emitOpError() << "has a shape of " << shape.size()
                           << " numbers; expected 4";
  if (getStrides().size() != 2 || getPads().size() != 2) // (C1)
    return emitOpError() << "has other than two strides and two pads";
  if (getKind() != GpuConvolutionKind::Forward &&
      getEpilogue() != GpuEpilogue::None) // (C2)
    return emitOpError() << "is a gradient, which has no epilogue";
  return verifyBuffers(*this); // (C2)
}
