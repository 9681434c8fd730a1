// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/target/cuda/WriteExecutable.h"

#include "dialects/exec/Exec.h"
#include "lib/target/common/SharedTables.h"
#include "runtime/target/cuda/format/CudaExecutable_generated.h"

using namespace mlir;

namespace graphc {

namespace fb = flatbuffers;

namespace {

std::vector<uint32_t> numbersOf(ArrayRef<int64_t> numbers) {
  return {numbers.begin(), numbers.end()};
}

format::GpuEpilogue numberOf(exec::GpuEpilogue epilogue) {
  return static_cast<format::GpuEpilogue>(epilogue);
}

format::GpuPrecision numberOf(exec::GpuPrecision precision) {
  return static_cast<format::GpuPrecision>(precision);
}

fb::Offset<format::GpuMatmul> matmul(exec::GpuMatmulOp op,
                                     SharedTables &tables) {
  ArrayRef<int64_t> shape = op.getShape();
  return tables.table(format::CreateGpuMatmul, shape[0], shape[1], shape[2],
                      op.getTransposeA(), op.getTransposeB(),
                      op.getAlpha().convertToFloat(),
                      op.getBeta().convertToFloat(), numberOf(op.getEpilogue()),
                      numberOf(op.getPrecision()));
}

fb::Offset<format::GpuConvolution> convolution(exec::GpuConvolutionOp op,
                                               SharedTables &tables) {
  ArrayRef<int64_t> images = op.getImages(), filter = op.getFilter();
  ArrayRef<int64_t> result = op.getResult(), strides = op.getStrides();
  ArrayRef<int64_t> pads = op.getPads();
  return tables.table(format::CreateGpuConvolution,
                      static_cast<format::GpuConvolutionKind>(op.getKind()),
                      images[0], images[1], images[2], images[3], filter[1],
                      filter[2], result[1], result[2], result[3], strides[0],
                      strides[1], pads[0], pads[1], numberOf(op.getEpilogue()),
                      numberOf(op.getPrecision()));
}

/// Writes the tables of one module. Thread-safety: one thread.
class Writer {
public:
  explicit Writer(ModuleOp module)
      : module(module), tables(builder), own(module) {}

  /// REQUIRES: there is an image. Once.
  fb::DetachedBuffer write();

private:
  template <typename T> using Tables = std::vector<fb::Offset<T>>;

  Tables<format::GpuImage> images();
  Tables<format::GpuKernel> kernels();
  fb::Offset<format::GpuKernel> kernel(exec::GpuKernelOp op);
  fb::Offset<format::GpuStage> stage(Operation &op);

  ModuleOp module;
  fb::FlatBufferBuilder builder;
  SharedTables tables;
  exec::GpuKernels own;
};

Writer::Tables<format::GpuImage> Writer::images() {
  Tables<format::GpuImage> written;
  auto bytesOf = [&](StringRef text) {
    return tables.list(
        std::vector<uint8_t>(text.bytes_begin(), text.bytes_end()));
  };
  for (auto op : module.getOps<exec::GpuImageOp>()) {
    fb::Offset<fb::Vector<uint8_t>> cubin = 0;
    if (op.getCubin())
      cubin = bytesOf(*op.getCubin());
    written.push_back(tables.table(format::CreateGpuImage,
                                   tables.text(op.getArch()),
                                   bytesOf(op.getPtx()), cubin));
  }
  return written;
}

fb::Offset<format::GpuStage> Writer::stage(Operation &op) {
  auto made = [&](format::GpuCall kind, fb::Offset<void> call,
                  ArrayRef<int64_t> buffers) {
    return tables.table(format::CreateGpuStage, kind, call,
                        tables.list(numbersOf(buffers)));
  };
  if (auto product = dyn_cast<exec::GpuMatmulOp>(op))
    return made(format::GpuCall::GpuMatmul, matmul(product, tables).Union(),
                product.getBuffers());
  if (auto conv = dyn_cast<exec::GpuConvolutionOp>(op))
    return made(format::GpuCall::GpuConvolution,
                convolution(conv, tables).Union(), conv.getBuffers());
  auto launch = cast<exec::GpuLaunchOp>(op);
  auto table =
      tables.table(format::CreateGpuLaunch, tables.text(launch.getEntry()),
                   launch.getGrid(), launch.getBlock());
  return made(format::GpuCall::GpuLaunch, table.Union(), launch.getBuffers());
}

fb::Offset<format::GpuKernel> Writer::kernel(exec::GpuKernelOp op) {
  std::vector<fb::Offset<format::GpuStage>> stages;
  for (Operation &each : op.getBody().front())
    stages.push_back(stage(each));
  std::vector<format::GpuExtent> parts;
  for (auto [offset, size] : llvm::zip(op.getParts(), op.getSizes()))
    parts.emplace_back(offset, size);
  return tables.table(format::CreateGpuKernel, tables.list(stages),
                      op.getBuffers(), tables.structs(parts), op.getScratch());
}

Writer::Tables<format::GpuKernel> Writer::kernels() {
  Tables<format::GpuKernel> written;
  for (auto op : module.getOps<exec::KernelOp>()) {
    exec::GpuKernelOp made = own.lookup(op.getSymName());
    written.push_back(made ? kernel(made)
                           : tables.table(format::CreateGpuKernel, 0, 0, 0, 0));
  }
  return written;
}

fb::DetachedBuffer Writer::write() {
  auto imageList = tables.list(images());
  auto kernelList = tables.list(kernels());
  format::FinishCudaExecutableBuffer(
      builder,
      tables.table(format::CreateCudaExecutable, imageList, kernelList));
  return builder.Release();
}

} // namespace

std::vector<uint8_t> writeCudaExecutable(ModuleOp module) {
  if (module.getOps<exec::GpuImageOp>().empty())
    return {};
  fb::DetachedBuffer code = Writer(module).write();
  return {code.data(), code.data() + code.size()};
}

} // namespace graphc
