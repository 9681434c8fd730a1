// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The meaning of a name or an expression while a module is built.
#ifndef GRAPHC_LIB_TEXT_BUILD_ITEM_H
#define GRAPHC_LIB_TEXT_BUILD_ITEM_H

#include "lib/text/Constant.h"
#include "lib/text/syntax/Tree.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Value.h"
#include "mlir/IR/ValueRange.h"

namespace graphc::text {

struct Item {
  enum class Kind {
    Error, ///< reported; what is made of it is one, too, in silence
    Constant,
    Values,   ///< results of one call; where one is wanted it is the first
    Variable, ///< symbol and type
    Array,    ///< of variables
    Dataset,  ///< symbol; types are those of a batch
    Element,  ///< an element type
    Func,
    Raw,  ///< an attribute in MLIR's form
    List, ///< elements some of which are no constants
  };

  Kind kind = Kind::Error;
  Constant constant;
  llvm::SmallVector<mlir::Value, 1> values;
  mlir::StringAttr symbol;
  llvm::SmallVector<mlir::Type, 1> types;
  std::vector<Item> elements; ///< of an array or a list
  const TextStatement *func = nullptr;
  mlir::Attribute raw;

  static Item of(Constant constant) {
    Item item;
    item.kind = Kind::Constant;
    item.constant = std::move(constant);
    return item;
  }
  static Item of(mlir::ValueRange values) {
    Item item;
    item.kind = Kind::Values;
    item.values.assign(values.begin(), values.end());
    return item;
  }

  /// Values and constants that the item holds.
  size_t size() const {
    size_t sum = isConstant() ? constant.size() : 1;
    for (const Item &element : elements)
      sum += element.size();
    return sum;
  }

  bool isError() const { return kind == Kind::Error; }
  bool isConstant() const { return kind == Kind::Constant; }
};

} // namespace graphc::text

#endif
