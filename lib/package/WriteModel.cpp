// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes the index of a model.bin, table by table, and the blobs behind it.
#include "lib/package/WriteModel.h"

#include "dialects/exec/Exec.h"
#include "dialects/tfir/Names.h"
#include "dialects/tfir/Tfir.h"
#include "lib/package/BlobArea.h"
#include "lib/package/Constants.h"
#include "runtime/format/FileHeader.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"

#include <cstring>

using namespace mlir;
using namespace graphc;
namespace fb = flatbuffers;

namespace {

/// Where an op stands in the source; (0, 0) for what the compiler made.
format::Location locationOf(Location loc) {
  FileLineColLoc found;
  loc->walk([&](Location part) {
    if (auto file = dyn_cast<FileLineColLoc>(part)) {
      found = file;
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return found ? format::Location(found.getLine(), found.getColumn())
               : format::Location(0, 0);
}

std::string nameOf(Operation *op) {
  auto name = op->getAttrOfType<StringAttr>(tfir::kNameAttr);
  return name ? name.getValue().str() : "";
}

/// Writes the tables of one module.
class IndexWriter {
public:
  IndexWriter(ModuleOp module, BlobArea &blobs)
      : module(module), blobs(blobs) {}

  fb::DetachedBuffer write(const Origin &origin);

private:
  using Names = llvm::StringMap<uint32_t>;
  template <typename T> using Tables = std::vector<fb::Offset<T>>;

  fb::Offset<format::TensorType> type(RankedTensorType tensor);
  Tables<format::Variable> variables();
  Tables<format::Dataset> datasets();
  Tables<format::Kernel> kernels();
  Tables<format::Image> images();
  Tables<format::Graph> graphs();
  fb::Offset<format::Slot> slot(exec::SlotOp op);
  fb::Offset<format::Instruction> instruction(Operation &op);
  fb::Offset<format::Program> program(exec::ProgramOp op);
  fb::Offset<format::Port> port(StringRef name, Value slot, Location loc);
  std::vector<uint32_t> slotNumbers(ValueRange slots);

  ModuleOp module;
  BlobArea &blobs;
  fb::FlatBufferBuilder b;
  Names variableNumbers, datasetNumbers, kernelNumbers;
  llvm::DenseMap<Value, uint32_t> slotNumber; ///< of the program being written
};

fb::Offset<format::TensorType> IndexWriter::type(RankedTensorType tensor) {
  std::vector<int64_t> shape(tensor.getShape().begin(),
                             tensor.getShape().end());
  return format::CreateTensorTypeDirect(b, dtypeOf(tensor.getElementType()),
                                        &shape);
}

IndexWriter::Tables<format::Variable> IndexWriter::variables() {
  Tables<format::Variable> tables;
  for (auto op : module.getOps<tfir::VariableOp>()) {
    variableNumbers[op.getSymName()] = tables.size();
    format::Location loc = locationOf(op.getLoc());
    tables.push_back(format::CreateVariableDirect(
        b, op.getSymName().str().c_str(), type(op.getTensorType()),
        op.getTrainable(), &loc));
  }
  return tables;
}

IndexWriter::Tables<format::Dataset> IndexWriter::datasets() {
  Tables<format::Dataset> tables;
  for (auto op : module.getOps<tfir::DatasetOp>()) {
    datasetNumbers[op.getSymName()] = tables.size();
    Tables<format::DatasetField> fields;
    for (auto [name, field] :
         llvm::zip(op.getFieldNames().getAsRange<StringAttr>(),
                   op.getFieldTypes().getAsValueRange<TypeAttr>()))
      fields.push_back(format::CreateDatasetFieldDirect(
          b, name.getValue().str().c_str(),
          type(cast<RankedTensorType>(field))));
    format::Location loc = locationOf(op.getLoc());
    tables.push_back(format::CreateDatasetDirect(
        b, op.getSymName().str().c_str(), &fields, op.getBatch().value_or(1),
        op.getShuffle(), op.getSeed(), op.getRepeat(), op.getPrefetch(), &loc));
  }
  return tables;
}

IndexWriter::Tables<format::Kernel> IndexWriter::kernels() {
  Tables<format::Kernel> tables;
  for (auto op : module.getOps<exec::KernelOp>()) {
    kernelNumbers[op.getSymName()] = tables.size();
    tables.push_back(format::CreateKernelDirect(
        b, op.getSymName().str().c_str(), op.getUnits(), op.getScratch(),
        op.getFlops().convertToDouble(), op.getBytes().convertToDouble()));
  }
  return tables;
}

IndexWriter::Tables<format::Image> IndexWriter::images() {
  Tables<format::Image> tables;
  for (auto op : module.getOps<exec::ImageOp>()) {
    auto code = cast<DenseElementsAttr>(op.getCode());
    format::Blob blob = blobs.add(code.getRawData());
    std::vector<uint64_t> entries(op.getEntries().begin(),
                                  op.getEntries().end());
    tables.push_back(format::CreateImageDirect(b, op.getIsa().str().c_str(),
                                               &blob, &entries));
  }
  return tables;
}

fb::Offset<format::Slot> IndexWriter::slot(exec::SlotOp op) {
  RankedTensorType tensor = op.getSlot().getType().getTensor();
  uint64_t size = exec::tensorBytes(tensor);
  format::Blob data(0, 0);
  if (op.getValue()) {
    std::vector<char> bytes = constantBytes(*op.getValue());
    data = blobs.add(bytes);
    size = bytes.size();
  }
  uint32_t index = op.getVariable() ? variableNumbers[*op.getVariable()] : 0;
  format::Location loc = locationOf(op.getLoc());
  return format::CreateSlotDirect(
      b, static_cast<format::SlotKind>(op.getKind()), nameOf(op).c_str(),
      type(tensor), size, op.getOffset().value_or(0), index,
      op.getValue() ? &data : nullptr, op.getFirst().value_or(0),
      op.getLast().value_or(0), &loc);
}

std::vector<uint32_t> IndexWriter::slotNumbers(ValueRange slots) {
  std::vector<uint32_t> numbers;
  for (Value slot : slots)
    numbers.push_back(slotNumber.lookup(slot));
  return numbers;
}

fb::Offset<format::Instruction> IndexWriter::instruction(Operation &op) {
  format::Action kind = format::Action::NONE;
  fb::Offset<void> action;
  ArrayRef<int64_t> waits;
  if (auto dispatch = dyn_cast<exec::DispatchOp>(op)) {
    std::vector<uint32_t> slots = slotNumbers(dispatch.getSlots());
    std::vector<uint32_t> outputs;
    for (int64_t position : dispatch.getWrites())
      outputs.push_back(slots[position]);
    kind = format::Action::Dispatch;
    action = format::CreateDispatchDirect(
                 b, kernelNumbers[dispatch.getKernel()], &slots, &outputs)
                 .Union();
    waits = dispatch.getWaits();
  } else if (auto next = dyn_cast<exec::NextOp>(op)) {
    std::vector<uint32_t> slots = slotNumbers(next.getSlots());
    kind = format::Action::HostCall;
    action =
        format::CreateHostCallDirect(b, format::HostFunction::NextBatch,
                                     datasetNumbers[next.getDataset()], &slots)
            .Union();
    waits = next.getWaits();
  } else {
    auto copy = cast<exec::CopyOp>(op);
    kind = format::Action::Copy;
    action = format::CreateCopy(b, slotNumber.lookup(copy.getSource()),
                                slotNumber.lookup(copy.getTarget()))
                 .Union();
    waits = copy.getWaits();
  }
  std::vector<uint32_t> before(waits.begin(), waits.end());
  format::Location loc = locationOf(op.getLoc());
  return format::CreateInstructionDirect(b, kind, action, &before,
                                         nameOf(&op).c_str(), &loc);
}

fb::Offset<format::Program> IndexWriter::program(exec::ProgramOp op) {
  Tables<format::Slot> slots;
  Tables<format::Instruction> instructions;
  slotNumber.clear();
  for (Operation &inner : op.getBlock()) {
    if (auto slotOp = dyn_cast<exec::SlotOp>(inner)) {
      slotNumber[slotOp.getSlot()] = slots.size();
      slots.push_back(slot(slotOp));
    } else if (!isa<exec::FeedOp, exec::FetchOp>(inner)) {
      instructions.push_back(instruction(inner));
    }
  }
  return format::CreateProgramDirect(b, op.getDevice().str().c_str(),
                                     op.getArenaBytes(), op.getLiveBytes(),
                                     &slots, &instructions);
}

fb::Offset<format::Port> IndexWriter::port(StringRef name, Value slot,
                                           Location loc) {
  format::Location where = locationOf(loc);
  return format::CreatePortDirect(
      b, name.str().c_str(),
      type(cast<exec::SlotType>(slot.getType()).getTensor()), /*program=*/0,
      slotNumber.lookup(slot), &where);
}

IndexWriter::Tables<format::Graph> IndexWriter::graphs() {
  Tables<format::Graph> tables;
  for (auto op : module.getOps<exec::ProgramOp>()) {
    Tables<format::Program> programs{program(op)};
    Tables<format::Port> feeds, fetches;
    for (Operation &inner : op.getBlock()) {
      if (auto feed = dyn_cast<exec::FeedOp>(inner))
        feeds.push_back(port(feed.getFeed(), feed.getSlot(), feed.getLoc()));
      else if (auto fetch = dyn_cast<exec::FetchOp>(inner))
        fetches.push_back(
            port(fetch.getFetch(), fetch.getSlot(), fetch.getLoc()));
    }
    format::Location loc = locationOf(op.getLoc());
    tables.push_back(format::CreateGraphDirect(
        b, op.getGraph().str().c_str(), &feeds, &fetches, &programs, &loc));
  }
  return tables;
}

fb::DetachedBuffer IndexWriter::write(const Origin &origin) {
  format::Blob source =
      blobs.add(ArrayRef(origin.source.data(), origin.source.size()));
  std::vector<fb::Offset<fb::String>> flags;
  for (const std::string &flag : origin.flags)
    flags.push_back(b.CreateString(flag));
  Tables<format::Variable> variableTables = variables();
  Tables<format::Dataset> datasetTables = datasets();
  Tables<format::Kernel> kernelTables = kernels();
  Tables<format::Image> imageTables = images();
  Tables<format::Graph> graphTables = graphs();
  auto name = module.getSymName();
  auto model = format::CreateModelDirect(
      b, "graphc " GRAPHC_VERSION, name ? name->str().c_str() : "", &source,
      &flags, &variableTables, &datasetTables, &kernelTables, &imageTables,
      &graphTables);
  format::FinishModelBuffer(b, model);
  return b.Release();
}

} // namespace

std::vector<std::byte> graphc::writeModel(ModuleOp module,
                                          const Origin &origin) {
  // The offsets of blobs follow the index, whose size does not depend on them.
  BlobArea blobs;
  fb::DetachedBuffer index = IndexWriter(module, blobs).write(origin);
  uint64_t indexSize = format::alignUp(index.size());
  blobs.restart(sizeof(format::FileHeader) + indexSize);
  index = IndexWriter(module, blobs).write(origin);

  std::vector<std::byte> file(sizeof(format::FileHeader) + indexSize +
                              blobs.bytes().size());
  std::memcpy(file.data() + sizeof(format::FileHeader), index.data(),
              index.size());
  if (!blobs.bytes().empty())
    std::memcpy(file.data() + sizeof(format::FileHeader) + indexSize,
                blobs.bytes().data(), blobs.bytes().size());
  format::sealFile(file, indexSize);
  return file;
}
