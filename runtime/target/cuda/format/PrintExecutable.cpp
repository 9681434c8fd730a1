// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/target/cuda/format/PrintExecutable.h"

#include "runtime/format/Quote.h"
#include "runtime/format/TensorTypes.h"

#include <ostream>
#include <string>

namespace graphc::runtime {

namespace {

std::string buffersText(const format::GpuKernel &kernel,
                        const format::GpuStage &stage) {
  std::string text;
  for (uint32_t buffer : *stage.buffers()) {
    bool isPart = buffer >= kernel.buffers();
    text += (text.empty() ? "(" : ", ") + std::string(isPart ? "s" : "b") +
            std::to_string(isPart ? buffer - kernel.buffers() : buffer);
  }
  return text + ")";
}

std::string shapeText(std::initializer_list<uint64_t> extents) {
  std::string text;
  for (uint64_t extent : extents)
    text += (text.empty() ? "" : "x") + std::to_string(extent);
  return text;
}

std::string howText(format::GpuEpilogue epilogue,
                    format::GpuPrecision precision) {
  std::string text;
  if (epilogue == format::GpuEpilogue::Bias ||
      epilogue == format::GpuEpilogue::BiasRelu)
    text += " + bias";
  if (epilogue == format::GpuEpilogue::Relu ||
      epilogue == format::GpuEpilogue::BiasRelu)
    text += ", relu";
  if (precision == format::GpuPrecision::Tf32)
    text += ", tf32";
  if (precision == format::GpuPrecision::Bfloat16)
    text += ", bf16";
  return text;
}

void printCall(const format::GpuLaunch &launch, std::ostream &out) {
  out << "launch " << viewOf(launch.entry()) << " <<<" << launch.grid() << ", "
      << launch.block() << ">>>";
}

void printCall(const format::GpuMatmul &product, std::ostream &out) {
  out << "matmul " << shapeText({product.m(), product.k()})
      << (product.transpose_a() ? " transposed" : "") << " by "
      << shapeText({product.k(), product.n()})
      << (product.transpose_b() ? " transposed" : "");
  if (product.alpha() != 1)
    out << " times " << product.alpha();
  if (product.beta() != 0)
    out << ", added to " << product.beta() << " times the result";
  out << howText(product.epilogue(), product.precision());
}

void printCall(const format::GpuConvolution &conv, std::ostream &out) {
  const char *kinds[] = {"convolution", "gradient by images of convolution",
                         "gradient by filter of convolution"};
  out << kinds[static_cast<size_t>(conv.kind())] << " "
      << shapeText({conv.batch(), conv.in_height(), conv.in_width(),
                    conv.in_channels()})
      << " by "
      << shapeText({conv.out_channels(), conv.kernel_height(),
                    conv.kernel_width(), conv.in_channels()})
      << " to " << shapeText({conv.out_height(), conv.out_width()})
      << ", strides " << shapeText({conv.stride_height(), conv.stride_width()})
      << ", pads " << shapeText({conv.pad_height(), conv.pad_width()})
      << howText(conv.epilogue(), conv.precision());
}

} // namespace

void printGpuKernel(const format::GpuKernel &kernel, std::ostream &out,
                    bool layout) {
  for (uint32_t i = 0; kernel.stages() && i < kernel.stages()->size(); ++i) {
    const format::GpuStage &stage = *kernel.stages()->Get(i);
    out << "  on a GPU: ";
    if (const auto *launch = stage.call_as_GpuLaunch())
      printCall(*launch, out);
    else if (const auto *product = stage.call_as_GpuMatmul())
      printCall(*product, out);
    else
      printCall(*stage.call_as_GpuConvolution(), out);
    out << " " << buffersText(kernel, stage) << "\n";
  }
  for (uint32_t i = 0;
       layout && kernel.scratch() && i < kernel.scratch()->size(); ++i)
    out << "  s" << i << ": " << kernel.scratch()->Get(i)->size()
        << " bytes at " << kernel.scratch()->Get(i)->offset() << "\n";
}

void printGpuImages(const format::CudaExecutable &executable,
                    const ExecutableCode &code, std::ostream &out,
                    bool layout) {
  for (const format::GpuImage *image : *executable.images()) {
    out << "GPU image " << viewOf(image->arch());
    if (layout)
      out << ": " << image->ptx()->size() << " bytes of PTX at "
          << fileOffset(code, *image->ptx()) << " of the file";
    if (layout && image->cubin())
      out << ", cubin of " << image->cubin()->size() << " bytes at "
          << fileOffset(code, *image->cubin());
    out << "\n";
  }
}

} // namespace graphc::runtime
