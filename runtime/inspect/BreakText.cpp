// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The text of a break at a NaN.
#include "runtime/base/Texts.h"
#include "runtime/inspect/NanBreak.h"
#include "runtime/inspect/ValueElements.h"
#include "runtime/inspect/ValueStats.h"

#include <cmath>

namespace graphc::runtime {

namespace {

/// Elements of each output that are shown.
constexpr size_t kShownElements = 5;

/// Line `number` of the source, without spaces around it; empty: not there.
std::string_view sourceLine(const Model &model, uint32_t number) {
  const format::Blob *blob = model.index().source();
  if (!blob || number == 0)
    return {};
  std::span<const std::byte> bytes = model.blob(*blob);
  std::string_view text(reinterpret_cast<const char *>(bytes.data()),
                        bytes.size());
  for (uint32_t line = 1; line < number; ++line) {
    size_t end = text.find('\n');
    if (end == std::string_view::npos)
      return {};
    text.remove_prefix(end + 1);
  }
  text = text.substr(0, text.find('\n'));
  size_t first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos)
    return {};
  return text.substr(first, text.find_last_not_of(" \t\r") + 1 - first);
}

std::string describe(const char *what, const NamedTensor &value) {
  return std::string("\n  ") + what + " " + quote(value.name) + " " +
         value.tensor.type.toString() + ": " +
         statsText(statsOf(value.tensor.type.dtype, value.tensor.bytes));
}

/// " 'x' = 3", the element of an input that belongs to one of an output: the
/// same one, or that of a scalar, or, where the input has the last dimensions
/// of the output only, such as a bias, what these give.
std::string elementOfInput(const NamedTensor &input, const TensorType &output,
                           size_t element) {
  const std::vector<int64_t> &shape = input.tensor.type.shape;
  size_t rank = output.shape.size();
  if (shape.size() > rank ||
      !std::equal(shape.rbegin(), shape.rend(), output.shape.rbegin()))
    return "";
  size_t count = elementCount(input.tensor);
  return count == 0 ? ""
                    : ", " + quote(input.name) + " = " +
                          elementText(elementOf(input.tensor, element % count));
}

/// The first elements of an output that are not finite, and what they are
/// made of.
std::string badElements(const NamedTensor &output,
                        const std::vector<NamedTensor> &inputs) {
  std::string text;
  size_t shown = 0, bad = 0;
  for (size_t i = 0; i < elementCount(output.tensor); ++i) {
    double value = elementOf(output.tensor, i);
    if (std::isfinite(value) || ++bad > kShownElements)
      continue;
    ++shown;
    text += "\n    " + quote(output.name) + placeText(output.tensor.type, i) +
            " = " + elementText(value);
    for (const NamedTensor &input : inputs)
      text += elementOfInput(input, output.tensor.type, i);
  }
  if (bad > shown)
    text += "\n    and " + std::to_string(bad - shown) + " more";
  return text;
}

} // namespace

std::string breakText(const BreakReport &report, const Model &model) {
  std::string text = "step " + std::to_string(report.step) + ": " + report.what;
  if (std::string_view line = sourceLine(model, report.line); !line.empty())
    text += "\n  line " + std::to_string(report.line) + ": " + escape(line);
  for (const NamedTensor &input : report.inputs)
    text += describe("input", input);
  // What the kernel has kept on the way to an output is as good as an input.
  std::vector<NamedTensor> around = report.inputs;
  for (const NamedTensor &output : report.outputs) {
    text += describe("output", output) + badElements(output, around);
    around.push_back(output);
  }
  if (report.outputs.empty())
    for (const NamedTensor &input : report.inputs)
      text += badElements(input, {});
  if (report.isFused)
    text += "\n  its kernel computes several ops, whose values between are not "
            "in memory: compile with --keep=PATTERN to have those of some, or "
            "with --cpu-target=reference, which makes a kernel of each op";
  return text;
}

} // namespace graphc::runtime
