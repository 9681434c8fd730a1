// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tensors from types and attributes, places of elements, and text.
#include "lib/interpreter/Tensor.h"

#include "dialects/tfir/Tfir.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>
#include <cstring>
#include <numeric>

using namespace mlir;

namespace graphc::interpreter {

Tensor Tensor::ofType(RankedTensorType type) {
  Tensor tensor;
  tensor.kind = kindOf(type.getElementType());
  tensor.shape.assign(type.getShape().begin(), type.getShape().end());
  if (tensor.kind == ElementKind::String)
    tensor.strings.resize(tensor.size());
  else
    tensor.elements.resize(tensor.size());
  return tensor;
}

template <typename T>
static void readElements(Tensor &tensor, llvm::ArrayRef<std::byte> bytes) {
  for (auto [i, element] : llvm::enumerate(tensor.elements)) {
    T value;
    std::memcpy(&value, bytes.data() + i * sizeof(T), sizeof(T));
    element = tensor.isFloat() ? Element::exact(static_cast<double>(value))
                               : Element::of(static_cast<Integer>(value));
  }
}

static void readHalves(Tensor &tensor, const llvm::fltSemantics &semantics,
                       llvm::ArrayRef<std::byte> bytes) {
  for (auto [i, element] : llvm::enumerate(tensor.elements)) {
    uint16_t bits = 0;
    std::memcpy(&bits, bytes.data() + i * sizeof(bits), sizeof(bits));
    element =
        Element::exact(APFloat(semantics, APInt(16, bits)).convertToDouble());
  }
}

Tensor Tensor::ofBytes(RankedTensorType type, llvm::ArrayRef<std::byte> bytes) {
  Tensor tensor = ofType(type);
  switch (tensor.kind) {
  case ElementKind::F32:
    readElements<float>(tensor, bytes);
    break;
  case ElementKind::F64:
    readElements<double>(tensor, bytes);
    break;
  case ElementKind::F16:
    readHalves(tensor, APFloat::IEEEhalf(), bytes);
    break;
  case ElementKind::BF16:
    readHalves(tensor, APFloat::BFloat(), bytes);
    break;
  case ElementKind::I32:
    readElements<int32_t>(tensor, bytes);
    break;
  case ElementKind::I64:
    readElements<int64_t>(tensor, bytes);
    break;
  case ElementKind::I8:
    readElements<int8_t>(tensor, bytes);
    break;
  case ElementKind::I16:
    readElements<int16_t>(tensor, bytes);
    break;
  case ElementKind::U16:
    readElements<uint16_t>(tensor, bytes);
    break;
  case ElementKind::U32:
    readElements<uint32_t>(tensor, bytes);
    break;
  case ElementKind::U64:
    readElements<uint64_t>(tensor, bytes);
    break;
  default:
    readElements<uint8_t>(tensor, bytes);
  }
  return tensor;
}

Tensor Tensor::ofAttr(ElementsAttr attr) {
  Tensor tensor = ofType(cast<RankedTensorType>(attr.getType()));
  if (tensor.kind == ElementKind::String) {
    for (auto [text, value] :
         llvm::zip(tensor.strings, attr.getValues<StringRef>()))
      text = value.str();
    return tensor;
  }
  if (tensor.isFloat()) {
    for (auto [element, value] :
         llvm::zip(tensor.elements, attr.getValues<APFloat>()))
      element = Element::exact(value.convertToDouble());
    return tensor;
  }
  for (auto [element, value] :
       llvm::zip(tensor.elements, attr.getValues<APInt>()))
    element =
        Element::of(isUnsigned(tensor.kind) ? Integer(value.getZExtValue())
                                            : Integer(value.getSExtValue()));
  return tensor;
}

int64_t Tensor::size() const {
  return std::accumulate(shape.begin(), shape.end(), int64_t(1),
                         std::multiplies<int64_t>());
}

int64_t Tensor::offset(llvm::ArrayRef<int64_t> at) const {
  int64_t result = 0;
  for (auto [index, dim] : llvm::zip_equal(at, shape))
    result = result * dim + index;
  return result;
}

const Element &Tensor::broadcastAt(llvm::ArrayRef<int64_t> index) const {
  int64_t result = 0;
  llvm::ArrayRef<int64_t> own = index.take_back(shape.size());
  for (auto [place, dim] : llvm::zip_equal(own, shape))
    result = result * dim + (dim == 1 ? 0 : place);
  return elements[result];
}

void forEachIndex(llvm::ArrayRef<int64_t> shape,
                  llvm::function_ref<void(llvm::ArrayRef<int64_t>)> body) {
  if (llvm::is_contained(shape, 0))
    return;
  llvm::SmallVector<int64_t> index(shape.size(), 0);
  while (true) {
    body(index);
    int64_t dim = static_cast<int64_t>(shape.size()) - 1;
    for (; dim >= 0 && ++index[dim] == shape[dim]; --dim)
      index[dim] = 0;
    if (dim < 0)
      return;
  }
}

static std::string elementText(const Tensor &tensor, int64_t place) {
  if (tensor.kind == ElementKind::String)
    return "\"" + tensor.strings[place] + "\"";
  const Element &element = tensor.elements[place];
  if (tensor.isFloat())
    return llvm::formatv("{0}", llvm::format("%.9g", element.value)).str();
  if (tensor.kind == ElementKind::Bool)
    return element.integer ? "true" : "false";
  return textOf(element.integer);
}

static void write(llvm::raw_ostream &out, const Tensor &tensor, int64_t dim,
                  int64_t &place) {
  if (dim == tensor.rank()) {
    out << elementText(tensor, place++);
    return;
  }
  out << "[";
  for (int64_t i = 0; i < tensor.shape[dim]; ++i) {
    if (i)
      out << ", ";
    write(out, tensor, dim + 1, place);
  }
  out << "]";
}

std::string toText(const Tensor &tensor) {
  std::string text;
  llvm::raw_string_ostream out(text);
  int64_t place = 0;
  write(out, tensor, 0, place);
  return text;
}

} // namespace graphc::interpreter
