// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// einsum and attention, written with batches of matrix products.
#include "dialects/tfir/products/TfirProductOps.h"

#include "dialects/tfir/CallForm.h"
#include "dialects/tfir/ops/OpExpr.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "llvm/ADT/StringExtras.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace graphc::tfir;

using Results = FailureOr<SmallVector<Value>>;

#define GET_OP_CLASSES
#include "dialects/tfir/TfirProductOps.cpp.inc"

//===-- einsum ------------------------------------------------------------===//

namespace {

/// The letters of an equation.
struct Equation {
  SmallVector<StringRef> inputs;
  StringRef output;
};

/// Splits the text of an equation; nothing where it is none.
std::optional<Equation> parseEquation(StringRef text) {
  auto [left, right] = text.split("->");
  if (left.size() == text.size())
    return {};
  Equation equation;
  left.split(equation.inputs, ',');
  equation.output = right;
  auto isLetters = [](StringRef part) {
    return llvm::all_of(part, llvm::isAlpha);
  };
  if (equation.inputs.size() > 2 || !isLetters(right) ||
      !llvm::all_of(equation.inputs, isLetters))
    return {};
  return equation;
}

bool repeatsLetter(StringRef letters) {
  for (size_t i = 0; i < letters.size(); ++i)
    if (letters.find(letters[i], i + 1) != StringRef::npos)
      return true;
  return false;
}

/// A tensor with a letter for each of its dimensions.
struct Lettered {
  Value value;
  std::string letters;

  int64_t sizeOf(char letter) const {
    return tensorType(value).getDimSize(letters.find(letter));
  }
  bool has(char letter) const {
    return letters.find(letter) != std::string::npos;
  }
};

/// Writes the steps of one equation.
struct Steps {
  OpBuilder &b;
  Location loc;

  /// Sums over the letters that `kept` does not have.
  Lettered sum(Lettered x, StringRef kept) {
    SmallVector<int64_t> axes, shape;
    std::string letters;
    for (auto [i, letter] : llvm::enumerate(x.letters)) {
      if (!kept.contains(letter)) {
        axes.push_back(static_cast<int64_t>(i));
        continue;
      }
      letters += letter;
      shape.push_back(tensorType(x.value).getDimSize(i));
    }
    if (axes.empty())
      return x;
    Value made =
        SumOp::create(b, loc, tensorType(x.value).clone(shape), x.value,
                      b.getDenseI64ArrayAttr(axes), UnitAttr());
    return {made, letters};
  }

  /// Puts the dimensions in the order of `letters`.
  Lettered order(Lettered x, StringRef letters) {
    if (x.letters == letters)
      return x;
    SmallVector<int64_t> perm;
    for (char letter : letters)
      perm.push_back(static_cast<int64_t>(x.letters.find(letter)));
    RankedTensorType type = tensorType(x.value);
    Value made = TransposeOp::create(
        b, loc, type.clone(applyPermutation(type.getShape(), perm)), x.value,
        perm);
    return {made, letters.str()};
  }

  Value reshape(Value x, ArrayRef<int64_t> shape) {
    RankedTensorType type = tensorType(x);
    if (type.getShape() == shape)
      return x;
    return ReshapeOp::create(b, loc, type.clone(shape), x);
  }

  Lettered product(Lettered x, Lettered y, StringRef output);
};

/// Both operands as batches of matrices, one of which is transposed where that
/// spares a transpose of its own.
Lettered Steps::product(Lettered x, Lettered y, StringRef output) {
  std::string batch, terms, rows, columns;
  for (char letter : x.letters)
    (!y.has(letter) ? rows : output.contains(letter) ? batch : terms) += letter;
  for (char letter : y.letters)
    if (!x.has(letter))
      columns += letter;
  auto count = [&](const Lettered &of, StringRef letters) {
    int64_t product = 1;
    for (char letter : letters)
      product *= of.sizeOf(letter);
    return product;
  };
  int64_t b0 = count(x, batch), m = count(x, rows), k = count(x, terms),
          n = count(y, columns);
  auto matrices = [&](Lettered of, int64_t first, int64_t second) {
    SmallVector<int64_t> shape;
    if (!batch.empty())
      shape.push_back(b0);
    shape.append({first, second});
    return reshape(of.value, shape);
  };
  bool turnX =
      x.letters == batch + terms + rows && x.letters != batch + rows + terms;
  bool turnY = y.letters == batch + columns + terms &&
               y.letters != batch + terms + columns;
  Value left = turnX ? matrices(x, k, m)
                     : matrices(order(x, batch + rows + terms), m, k);
  Value right = turnY ? matrices(y, n, k)
                      : matrices(order(y, batch + terms + columns), k, n);
  SmallVector<int64_t> shape;
  if (!batch.empty())
    shape.push_back(b0);
  shape.append({m, n});
  Value made = MatMulOp::create(b, loc, tensorType(left).clone(shape), left,
                                right, turnX ? b.getUnitAttr() : UnitAttr(),
                                turnY ? b.getUnitAttr() : UnitAttr());
  shape.clear();
  for (char letter : batch + rows)
    shape.push_back(x.sizeOf(letter));
  for (char letter : columns)
    shape.push_back(y.sizeOf(letter));
  return {reshape(made, shape), batch + rows + columns};
}

} // namespace

LogicalResult EinsumOp::inferTypes(SmallVectorImpl<Type> &types) {
  std::optional<Equation> equation = parseEquation(getEquation());
  if (!equation) // (C1)
    return emitOpError() << "cannot read the equation '" << getEquation()
                         << "'; expected letters for one or two operands and "
                            "the result, such as 'bij,bjk->bik'";
  if (equation->inputs.size() != getInputs().size()) // (C2)
    return emitOpError() << "the equation '" << getEquation() << "' has "
                         << equation->inputs.size() << " operands, but "
                         << getInputs().size() << " are given";
  llvm::SmallDenseMap<char, int64_t> sizes;
  for (auto [letters, input] : llvm::zip(equation->inputs, getInputs())) {
    RankedTensorType type = tensorType(input);
    if (static_cast<int64_t>(letters.size()) != type.getRank()) // (C2)
      return emitOpError() << "'" << letters << "' does not have a letter for "
                           << "each dimension of " << type;
    if (repeatsLetter(letters)) // (C3)
      return emitOpError() << "'" << letters
                           << "' names a letter twice; a diagonal is not "
                              "taken";
    for (auto [letter, size] : llvm::zip(letters, type.getShape())) {
      auto [known, isNew] = sizes.try_emplace(letter, size);
      if (isNew || ShapedType::isDynamic(size))
        continue;
      if (!ShapedType::isDynamic(known->second) && known->second != size)
        return emitOpError() << "'" << letter << "' stands for sizes "
                             << known->second << " and " << size; // (C4)
      known->second = size;
    }
  }
  if (repeatsLetter(equation->output)) // (C3)
    return emitOpError() << "the result '" << equation->output
                         << "' names a letter twice";
  SmallVector<int64_t> shape;
  for (char letter : equation->output) {
    auto size = sizes.find(letter);
    if (size == sizes.end()) // (C3)
      return emitOpError() << "the result names '" << letter
                           << "', which no operand has";
    shape.push_back(size->second);
  }
  types.push_back(tensorType(getInputs()[0]).clone(shape));
  return success();
}

Results EinsumOp::decompose(OpBuilder &b) {
  Steps steps{b, getLoc()};
  Equation equation = *parseEquation(getEquation());
  Lettered x{getInputs()[0], equation.inputs[0].str()};
  if (getInputs().size() == 1)
    return SmallVector<Value>{
        steps.order(steps.sum(x, equation.output), equation.output).value};
  Lettered y{getInputs()[1], equation.inputs[1].str()};
  std::string output = equation.output.str();
  x = steps.sum(x, output + y.letters);
  y = steps.sum(y, output + x.letters);
  return SmallVector<Value>{
      steps.order(steps.product(x, y, output), output).value};
}

//===-- scaled_dot_product_attention --------------------------------------===//

/// The shape of the scores, [..., queries, keys]; nothing where the batches do
/// not broadcast.
static std::optional<SmallVector<int64_t>> scoresShape(AttentionOp op) {
  ArrayRef<int64_t> q = tensorType(op.getQ()).getShape();
  ArrayRef<int64_t> k = tensorType(op.getK()).getShape();
  std::optional<SmallVector<int64_t>> shape =
      broadcastShapes(q.drop_back(2), k.drop_back(2));
  if (shape)
    shape->append({q[q.size() - 2], k[k.size() - 2]});
  return shape;
}

LogicalResult AttentionOp::inferTypes(SmallVectorImpl<Type> &types) {
  RankedTensorType q = tensorType(getQ()), k = tensorType(getK()),
                   v = tensorType(getV());
  auto refuse = [&](StringRef what) {
    return emitOpError() << what << ", but q, k and v have the types " << q
                         << ", " << k << " and " << v;
  };
  for (RankedTensorType type : {q, k, v})
    if (type.getRank() < 2) // (C1)
      return refuse("expects matrices");
  if (q.getElementType() != k.getElementType() ||
      q.getElementType() != v.getElementType()) // (C5)
    return refuse("expects one element type");
  auto differ = [](int64_t x, int64_t y) {
    return !ShapedType::isDynamic(x) && !ShapedType::isDynamic(y) && x != y;
  };
  if (differ(q.getShape().back(), k.getShape().back())) // (C2)
    return refuse("queries and keys have one depth");
  if (differ(k.getShape().take_back(2)[0], v.getShape().take_back(2)[0]))
    return refuse("there is a value for each key"); // (C2)
  std::optional<SmallVector<int64_t>> scores = scoresShape(*this);
  std::optional<SmallVector<int64_t>> shape;
  if (scores)
    shape = broadcastShapes(ArrayRef(*scores).drop_back(2),
                            v.getShape().drop_back(2));
  if (!shape) // (C1)
    return refuse("the batches broadcast");
  if (getMask()) {
    RankedTensorType mask = tensorType(getMask());
    std::optional<SmallVector<int64_t>> both =
        broadcastShapes(*scores, mask.getShape());
    if (isa<FloatType>(mask.getElementType()) &&
        mask.getElementType() != q.getElementType()) // (C5)
      return emitOpError() << "the mask has type " << mask
                           << ", expected the element type of q, "
                           << q.getElementType();
    if (!both || both->size() != scores->size() ||
        failed(verifyCompatibleShape(*both, *scores))) // (C3)
      return emitOpError() << "the mask has type " << mask
                           << ", which does not broadcast to the scores, "
                           << q.clone(*scores);
  }
  double dropout = getDropout().convertToDouble();
  if (!(dropout >= 0 && dropout < 1)) // (C4)
    return emitOpError() << "dropout is " << dropout << ", expected [0, 1)";
  shape->append({q.getShape().take_back(2)[0], v.getShape().back()});
  types.push_back(q.clone(*shape));
  return success();
}

/// True where a query may see a key: up to its own place, counted from the
/// last query and the last key.
static Value causalMask(OpExpr e, int64_t queries, int64_t keys) {
  auto numbers = [&](ArrayRef<int64_t> shape, int64_t count,
                     int64_t first) -> Value {
    SmallVector<int32_t> values;
    for (int64_t i = 0; i < count; ++i)
      values.push_back(static_cast<int32_t>(first + i));
    auto type = RankedTensorType::get(shape, e.b.getI32Type());
    return ConstOp::create(
        e.b, e.loc, type,
        DenseElementsAttr::get(type, ArrayRef<int32_t>(values)));
  };
  return e.test<LessEqualOp>(numbers({1, keys}, keys, 0),
                             numbers({queries, 1}, queries, keys - queries));
}

Results AttentionOp::decompose(OpBuilder &b) {
  OpExpr e{b, getLoc()};
  SmallVector<int64_t> shape = *scoresShape(*this);
  RankedTensorType type = tensorType(getQ()).clone(shape);
  int64_t depth = tensorType(getQ()).getShape().back();
  double scale = getScale() ? getScale()->convertToDouble()
                            : 1 / std::sqrt(static_cast<double>(depth));
  Value scores = MatMulOp::create(b, getLoc(), type, getQ(), getK(), UnitAttr(),
                                  b.getUnitAttr());
  scores = e.scale(scores, scale);
  // The lowest finite number, so that a row without any key is not NaN.
  Value lowest = e.number(scores, std::numeric_limits<float>::lowest());
  Value mask = getMask();
  bool isNumbers = mask && isa<FloatType>(tensorType(mask).getElementType());
  if (isNumbers)
    scores = e.add(scores, mask);
  else if (mask)
    scores = e.select(mask, scores, lowest, scores);
  if (getCausal())
    scores = e.select(causalMask(e, shape[shape.size() - 2], shape.back()),
                      scores, lowest, scores);
  Value weights = SoftmaxOp::create(b, getLoc(), type, scores);
  double dropout = getDropout().convertToDouble();
  if (dropout > 0)
    weights = DropoutOp::create(b, getLoc(), type, weights,
                                APFloat(1 - dropout), getSeedAttr());
  return SmallVector<Value>{MatMulOp::create(b, getLoc(), getOutput().getType(),
                                             weights, getV(), UnitAttr(),
                                             UnitAttr())};
}
