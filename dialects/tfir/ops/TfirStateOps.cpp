// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Graphs, variables, datasets and device scopes: syntax and checks.
#include "dialects/tfir/TfirAttrs.h"

#include "dialects/tfir/CallForm.h"
#include "dialects/tfir/Support.h"
#include "dialects/tfir/Tfir.h"
#include "dialects/tfir/Verify.h"
#include "dialects/tfir/ops/control/KernelControl.h"
#include "llvm/ADT/APSInt.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace graphc::tfir;

//===-- Syntax shared by datasets and graphs ------------------------------===//

/// `name: type, name: type`
static ParseResult parseFields(OpAsmParser &parser, ArrayAttr &names,
                               ArrayAttr &types) {
  Builder &b = parser.getBuilder();
  SmallVector<Attribute> nameAttrs, typeAttrs;
  auto parseOne = [&]() -> ParseResult {
    std::string name;
    Type type;
    if (parser.parseKeywordOrString(&name) || parser.parseColonType(type))
      return failure();
    nameAttrs.push_back(b.getStringAttr(name));
    typeAttrs.push_back(TypeAttr::get(type));
    return success();
  };
  if (parser.parseCommaSeparatedList(parseOne))
    return failure();
  names = b.getArrayAttr(nameAttrs);
  types = b.getArrayAttr(typeAttrs);
  return success();
}

static void printFields(OpAsmPrinter &printer, ArrayAttr names,
                        ArrayAttr types) {
  llvm::interleaveComma(llvm::zip(names, types), printer, [&](auto pair) {
    printer.printKeywordOrString(
        cast<StringAttr>(std::get<0>(pair)).getValue());
    printer << ": " << cast<TypeAttr>(std::get<1>(pair)).getValue();
  });
}
static void printFields(OpAsmPrinter &printer, Operation *, ArrayAttr names,
                        ArrayAttr types) {
  printFields(printer, names, types);
}

/// Fails when a name stands twice in the list.
static LogicalResult verifyUnique(Operation *op, ArrayAttr names,
                                  StringRef what) {
  llvm::StringSet<> seen;
  for (auto name : names.getAsRange<StringAttr>())
    if (!seen.insert(name.getValue()).second)
      return op->emitOpError()
             << "names the " << what << " '" << name.getValue() << "' twice";
  return success();
}

#define GET_OP_CLASSES
#include "dialects/tfir/TfirCoreOps.cpp.inc"

//===-- Variables and datasets --------------------------------------------===//

/// True when elements of the type can be the number: no fraction among
/// integers, and none beyond the ends of the type.
static bool isElement(double number, Type type) {
  APFloat value(number);
  if (auto floats = dyn_cast<FloatType>(type)) {
    bool losesInfo;
    value.convert(floats.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                  &losesInfo);
    return value.isFinite() || !APFloat(number).isFinite();
  }
  APSInt whole(type.getIntOrFloatBitWidth(), type.isUnsignedInteger());
  bool isWhole = false;
  value.convertToInteger(whole, APFloat::rmTowardZero, &isWhole);
  // Minus zero is not what it was, but it is 0.
  return isWhole || number == 0;
}

LogicalResult VariableOp::verify() {
  if (getPartOf().has_value() != getPartRow().has_value() ||
      static_cast<int64_t>(getPartRow().value_or(0)) < 0) // (C3)
    return emitOpError()
           << "is a shard with 'part_of' and 'part_row', which is "
              "not negative, or has neither";
  RankedTensorType type = getTensorType();
  if (failed(verifyRank(*this, "a tensor", type)))
    return failure();
  if (!type.hasStaticShape()) // (C1)
    return emitOpError() << "has the type " << type
                         << ", but a variable needs a static shape";
  if (isHalf(type.getElementType())) // (C5)
    return emitOpError()
           << "has the type " << type
           << ", but a variable keeps more than 16 bits, so that small updates "
              "are not lost; declare it as f32 and cast what is read, or "
              "compile with --precision";
  Attribute initial = getInitial();
  auto zero = dyn_cast<FillAttr>(initial);
  bool isZero = zero && double(zero.getValue()) == 0;
  if (getTransient() && (getTrainable() || !isZero)) // (C4)
    return emitOpError() << "is transient, but "
                         << (getTrainable() ? "trained" : "does not start as 0")
                         << "; it holds sums that begin at 0 and are in no "
                            "checkpoint: write 'trainable = false' and 0";
  if (auto dense = dyn_cast<DenseElementsAttr>(initial)) {
    if (dense.getType() != type) // (C2)
      return emitOpError() << "starts as " << dense.getType()
                           << ", but has the type " << type;
    return success();
  }
  if (auto fill = dyn_cast<FillAttr>(initial)) {
    if (isElement(fill.getValue(), type.getElementType())) // (C2)
      return success();
    return emitOpError() << "starts as " << fill << ", a number that "
                         << type.getElementType()
                         << " does not have; give one that it has, or declare "
                            "the variable with another type";
  }
  auto value = dyn_cast<InitialValueAttrInterface>(initial);
  if (!value || !value.isRandom())
    return emitOpError() << "cannot start as " << initial
                         << "; expected #tfir.fill, #tfir.random_normal, "
                            "#tfir.truncated_normal, #tfir.random_uniform or a "
                            "dense constant";
  if (!type.getElementType().isF32())
    return emitOpError()
           << "starts with random numbers, which are f32, but has "
              "the type "
           << type;
  return success();
}

int64_t DatasetOp::indexOfField(StringRef name) {
  auto names = getFieldNames().getAsRange<StringAttr>();
  auto found = llvm::find_if(
      names, [&](StringAttr each) { return each.getValue() == name; });
  return found == names.end() ? -1 : std::distance(names.begin(), found);
}

/// (C4): goes back from the fields to what files hold.
static LogicalResult verifyAugment(DatasetOp op) {
  if (!op.getAugment())
    return success();
  SmallVector<RankedTensorType> types;
  for (auto type : op.getFieldTypes().getAsValueRange<TypeAttr>())
    types.push_back(cast<RankedTensorType>(type));
  for (Attribute attr : llvm::reverse(*op.getAugment())) {
    auto transform = cast<TransformAttrInterface>(attr);
    StringRef name = transform.getFieldName();
    int64_t field = op.indexOfField(name);
    if (field < 0 || name == op.getMask())
      return op.emitOpError()
             << "augments '" << name << "', which is no field of its files";
    FailureOr<RankedTensorType> source =
        transform.getSourceType(types[field], [&] {
          return op.emitOpError() << "has '" << transform.getTransformName()
                                  << "' of '" << name << "', which ";
        });
    if (failed(source))
      return failure();
    types[field] = *source;
  }
  return success();
}

/// (C2) of what orders the examples.
static LogicalResult verifyOrder(DatasetOp op) {
  int64_t shuffle = op.getShuffle();
  if (auto left = op.getMinAfterDequeue())
    if (static_cast<int64_t>(*left) < 0 ||
        static_cast<int64_t>(*left) >= shuffle)
      return op.emitOpError()
             << "has a min_after_dequeue of " << static_cast<int64_t>(*left)
             << ", which is from 0 to below shuffle, here " << shuffle;
  for (int64_t number : {op.getCycleLength(), op.getBlockLength()})
    if (number < 1)
      return op.emitOpError() << "has a cycle_length or block_length below 1";
  return success();
}

/// (C3).
static LogicalResult verifyMask(DatasetOp op) {
  if (!op.getMask())
    return success();
  int64_t field = op.indexOfField(*op.getMask());
  if (field < 0 || op.getFieldNames().size() < 2)
    return op.emitOpError() << "has the mask '" << *op.getMask()
                            << "', which is none of several fields";
  auto type = cast<RankedTensorType>(
      cast<TypeAttr>(op.getFieldTypes()[field]).getValue());
  if (type.getRank() != 0 ||
      !(type.getElementType().isF32() || type.getElementType().isInteger(1)))
    return op.emitOpError() << "has a mask of type " << type
                            << "; declare it as f32 or i1, without a shape";
  return success();
}

LogicalResult DatasetOp::verify() {
  if (failed(verifyUnique(*this, getFieldNames(), "field")))
    return failure();
  for (auto type : getFieldTypes().getAsValueRange<TypeAttr>()) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor || !tensor.hasStaticShape()) // (C1)
      return emitOpError() << "has a field of type " << type
                           << ", but examples need a static shape; the batch "
                              "is not part of it";
    if (failed(verifyTensor(*this, "a field", type)))
      return failure();
    Type element = tensor.getElementType();
    bool isRead =
        !isHalf(element) &&
        (!isWholeNumber(element) || element.isUnsignedInteger(8) ||
         element.isSignlessInteger(32) || element.isSignlessInteger(64));
    if (!isRead) // (C5)
      return emitOpError()
             << "has a field of type " << type
             << ", but no file is read as that; declare it as f32, "
                "f64, i32 or i64, and cast it in the graph";
  }
  for (int64_t number : {getShuffle(), getRepeat(), getPrefetch(), getCache()})
    if (number < 0) // (C2)
      return emitOpError() << "has a negative number; shuffle, repeat, "
                              "prefetch and cache are at least 0";
  if (getBatch() && static_cast<int64_t>(*getBatch()) < 1)
    return emitOpError() << "has a batch below 1";
  if (failed(verifyOrder(*this)) || failed(verifyMask(*this)))
    return failure();
  return verifyAugment(*this);
}

//===-- Graphs ------------------------------------------------------------===//

/// The number of towers that a person or a pass wrote.
static LogicalResult
verifyReplicas(Attribute attr, function_ref<InFlightDiagnostic()> emitError) {
  auto number = dyn_cast_if_present<IntegerAttr>(attr);
  if (attr && (!number || !number.getType().isSignlessInteger(64) ||
               number.getInt() < 1 || number.getInt() > kMaxReplicas))
    return emitError() << "has " << attr
                       << " as 'replicas', expected a number from 1 to "
                       << kMaxReplicas;
  return success();
}

ParseResult GraphOp::parse(OpAsmParser &parser, OperationState &result) {
  Builder &b = parser.getBuilder();
  StringAttr name;
  SmallVector<OpAsmParser::Argument> arguments;
  ArrayAttr fetchNames = b.getArrayAttr({}), fetchTypes = b.getArrayAttr({});
  if (parser.parseSymbolName(name, SymbolTable::getSymbolAttrName(),
                             result.attributes) ||
      parser.parseArgumentList(arguments, OpAsmParser::Delimiter::Paren,
                               /*allowType=*/true))
    return failure();
  if (succeeded(parser.parseOptionalArrow()))
    if (parser.parseLParen() || parseFields(parser, fetchNames, fetchTypes) ||
        parser.parseRParen())
      return failure();
  SmallVector<Attribute> feedNames;
  for (const OpAsmParser::Argument &argument : arguments)
    feedNames.push_back(b.getStringAttr(argument.ssaName.name.drop_front()));
  result.addAttribute("feed_names", b.getArrayAttr(feedNames));
  result.addAttribute("fetch_names", fetchNames);
  result.addAttribute("fetch_types", fetchTypes);
  auto emitError = [&] {
    return mlir::emitError(result.location)
           << "'" << getOperationName() << "' op ";
  };
  if (parser.parseOptionalAttrDictWithKeyword(result.attributes) ||
      failed(verifyReplicas(
          result.attributes.get(getReplicasAttrName(result.name)),
          emitError)) ||
      failed(verifyInherentAttrs(result.name, result.attributes, emitError)))
    return failure();
  Region *body = result.addRegion();
  if (parser.parseRegion(*body, arguments))
    return failure();
  ensureTerminator(*body, b, result.location);
  return success();
}

void GraphOp::print(OpAsmPrinter &printer) {
  printer << ' ';
  printer.printSymbolName(getSymName());
  printer << '(';
  llvm::interleaveComma(
      getBlock().getArguments(), printer,
      [&](BlockArgument argument) { printer.printRegionArgument(argument); });
  printer << ')';
  if (!getFetchNames().empty()) {
    printer << " -> (";
    printFields(printer, getFetchNames(), getFetchTypes());
    printer << ')';
  }
  printer.printOptionalAttrDictWithKeyword(
      (*this)->getAttrs(),
      {SymbolTable::getSymbolAttrName(), getFeedNamesAttrName(),
       getFetchNamesAttrName(), getFetchTypesAttrName()});
  printer << ' ';
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false,
                      /*printBlockTerminators=*/!getFetchNames().empty());
}

void GraphOp::getAsmBlockArgumentNames(Region &region,
                                       OpAsmSetValueNameFn setName) {
  for (auto [argument, name] : llvm::zip(region.getArguments(), getFeedNames()))
    setName(argument, cast<StringAttr>(name).getValue());
}

ReturnOp GraphOp::getReturn() {
  return cast<ReturnOp>(getBlock().getTerminator());
}

LogicalResult GraphOp::verify() {
  if (failed(verifyReplicas(getReplicasAttr(),
                            [&] { return emitOpError(); }))) // (C3)
    return failure();
  if (failed(verifyUnique(*this, getFeedNames(), "feed")) || // (C1)
      failed(verifyUnique(*this, getFetchNames(), "fetch")))
    return failure();
  if (getFeedNames().size() != getBlock().getNumArguments())
    return emitOpError() << "has " << getBlock().getNumArguments()
                         << " feeds but names " << getFeedNames().size();
  for (Type type : getBlock().getArgumentTypes())
    if (failed(verifyTensor(*this, "a feed", type)))
      return failure();
  ReturnOp ret = getReturn();
  if (ret.getValues().size() != getFetchTypes().size()) // (C2)
    return ret.emitOpError()
           << "gives " << ret.getValues().size() << " values, but the graph '"
           << getSymName() << "' has " << getFetchTypes().size() << " fetches";
  for (auto [value, type, name] :
       llvm::zip(ret.getValues(), getFetchTypes().getAsValueRange<TypeAttr>(),
                 getFetchNames().getAsRange<StringAttr>()))
    if (value.getType() != type)
      return ret.emitOpError()
             << "gives " << value.getType() << " for the fetch '"
             << name.getValue() << "' of type " << type;
  if (auto shown = getSummaries(); shown && !getPartitionOf()) // (C4)
    for (auto summary : shown->getAsRange<SummaryAttr>())
      if (static_cast<size_t>(summary.getFetch() + summary.getNumFetches()) >
          getFetchNames().size())
        return emitOpError() << "has the summary " << summary.getTag()
                             << " of fetch " << summary.getFetch() << ", but "
                             << getFetchNames().size() << " fetches";
  return success();
}

LogicalResult DeviceOp::verify() {
  auto yield = cast<YieldOp>(getBody().front().getTerminator());
  if (yield.getValues().getTypes() != getResultTypes())
    return yield.emitOpError()
           << "gives other types than the device scope says";
  return success();
}

LogicalResult YieldOp::verify() {
  if (isa_and_present<DeviceOp, ControlOpInterface, KernelControlInterface>(
          (*this)->getParentOp()))
    return success();
  return emitOpError() << "ends nothing that yields values; a graph ends with "
                          "tfir.return"; // (C1)
}

//===-- State -------------------------------------------------------------===//

/// The variable that a symbol names, or failure after an error on `op`.
static FailureOr<VariableOp> findVariable(Operation *op,
                                          FlatSymbolRefAttr symbol,
                                          SymbolTableCollection &tables) {
  auto variable = tables.lookupNearestSymbolFrom<VariableOp>(op, symbol);
  if (!variable) // (C1)
    return op->emitOpError() << "names no variable: '" << symbol.getValue()
                             << "' is not declared; declare it with "
                                "tfir.variable";
  return variable;
}

/// (C1) and (C2) of everything that reads or writes a variable.
static LogicalResult verifyVariableUse(Operation *op, FlatSymbolRefAttr symbol,
                                       Type type,
                                       SymbolTableCollection &tables) {
  FailureOr<VariableOp> variable = findVariable(op, symbol, tables);
  if (failed(variable) || failed(verifyInGraph(op)))
    return failure();
  if (variable->getTensorType() == type)
    return success();
  InFlightDiagnostic error = op->emitOpError()
                             << "uses '" << symbol.getValue() << "' as " << type
                             << ", but it has the type "
                             << variable->getTensorType();
  error.attachNote(variable->getLoc()) << "declared here";
  return error;
}

LogicalResult ReadOp::verifySymbolUses(SymbolTableCollection &tables) {
  return verifyVariableUse(*this, getVariableAttr(), getValue().getType(),
                           tables);
}
LogicalResult AssignOp::verifySymbolUses(SymbolTableCollection &tables) {
  return verifyVariableUse(*this, getVariableAttr(), getValue().getType(),
                           tables);
}
LogicalResult AssignAddOp::verifySymbolUses(SymbolTableCollection &tables) {
  return verifyVariableUse(*this, getVariableAttr(), getValue().getType(),
                           tables);
}
LogicalResult AssignSubOp::verifySymbolUses(SymbolTableCollection &tables) {
  return verifyVariableUse(*this, getVariableAttr(), getValue().getType(),
                           tables);
}
LogicalResult ApplyOp::verifySymbolUses(SymbolTableCollection &tables) {
  return verifyVariableUse(*this, getVariableAttr(), getGradient().getType(),
                           tables);
}
LogicalResult UpdateAverageOp::verifySymbolUses(SymbolTableCollection &tables) {
  FailureOr<VariableOp> variable =
      findVariable(*this, getVariableAttr(), tables);
  if (failed(variable))
    return failure();
  return verifyVariableUse(*this, getAverageAttr(), variable->getTensorType(),
                           tables);
}

LogicalResult NextOp::verify() {
  if (failed(verifyInGraph(*this)))
    return failure();
  for (Type type : getResultTypes())
    if (failed(verifyRank(*this, "a result", type)))
      return failure();
  int64_t shard = getShard(), shards = getShards();
  if (shards < 1 || shard < 0 || shard >= shards) // (C3)
    return emitOpError() << "takes part " << shard << " of " << shards
                         << "; parts count from 0";
  return success();
}

LogicalResult NextOp::verifySymbolUses(SymbolTableCollection &tables) {
  auto dataset =
      tables.lookupNearestSymbolFrom<DatasetOp>(*this, getDatasetAttr());
  if (!dataset) // (C1)
    return emitOpError() << "names no dataset: '" << getDataset()
                         << "' is not declared; declare it with tfir.dataset";
  auto types = dataset.getFieldTypes().getAsValueRange<TypeAttr>();
  if (getNumResults() != dataset.getFieldTypes().size()) // (C2)
    return emitOpError() << "gives " << getNumResults()
                         << " values, but the dataset '" << getDataset()
                         << "' has " << dataset.getFieldTypes().size()
                         << " fields";
  for (auto [result, type] : llvm::zip(getResults(), types)) {
    RankedTensorType batch = tensorType(result);
    auto example = cast<RankedTensorType>(type);
    if (batch.getRank() != example.getRank() + 1 ||
        batch.getShape().drop_front() != example.getShape() ||
        batch.getElementType() != example.getElementType())
      return emitOpError() << "gives " << batch << " for a field of type "
                           << example << "; expected the batch, then "
                           << example;
  }
  return success();
}
