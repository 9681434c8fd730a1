// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes the index of a model.bin, table by table, and the blobs behind it.
#include "lib/package/WriteModel.h"

#include "dialects/exec/Exec.h"
#include "dialects/tfir/Names.h"
#include "dialects/tfir/Tfir.h"
#include "lib/package/BlobArea.h"
#include "lib/package/Constants.h"
#include "lib/package/InstanceTable.h"
#include "runtime/format/FileHeader.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"

#include <cstring>
#include <map>

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

/// Variable.mirror_of of a variable that is no copy.
constexpr uint32_t kNoMirror = 0xffffffff;

/// Program.updates_from of a program without updates.
constexpr uint32_t kNoUpdates = 0xffffffff;

/// The number of towers of a graph, which its first program knows.
uint32_t replicasOf(exec::ProgramOp program) {
  auto replicas = program->getAttrOfType<IntegerAttr>(exec::kReplicasAttr);
  return replicas ? replicas.getInt() : 1;
}

std::vector<uint32_t> numbersOf(ArrayRef<int64_t> values) {
  return std::vector<uint32_t>(values.begin(), values.end());
}

/// Writes the tables of one module.
class IndexWriter {
public:
  IndexWriter(ModuleOp module, BlobArea &blobs)
      : module(module), blobs(blobs) {}

  fb::DetachedBuffer write(const Origin &origin);

private:
  using Names = VariableNumbers;
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
  fb::Offset<format::Port> port(StringRef name, Value slot, Location loc,
                                uint32_t program);
  fb::Offset<format::Graph> graph(ArrayRef<exec::ProgramOp> ops);
  Tables<format::Edge> edges(ArrayRef<exec::ProgramOp> ops);
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
  for (auto op : module.getOps<tfir::VariableOp>())
    variableNumbers.try_emplace(op.getSymName(), variableNumbers.size());
  Tables<format::Variable> tables;
  for (auto op : module.getOps<tfir::VariableOp>()) {
    format::Location loc = locationOf(op.getLoc());
    auto device = op->getAttrOfType<StringAttr>(tfir::kAssignedAttr);
    auto mirrored = op->getAttrOfType<FlatSymbolRefAttr>(tfir::kMirrorOfAttr);
    auto whole = op->getAttrOfType<StringAttr>(tfir::kPartOfAttr);
    auto row = op->getAttrOfType<IntegerAttr>(tfir::kPartRowAttr);
    tables.push_back(format::CreateVariableDirect(
        b, op.getSymName().str().c_str(), type(op.getTensorType()),
        op.getTrainable(), &loc, device ? device.str().c_str() : nullptr,
        mirrored ? variableNumbers.lookup(mirrored.getValue()) : kNoMirror,
        whole ? whole.str().c_str() : nullptr,
        row ? static_cast<uint64_t>(row.getInt()) : 0,
        op->hasAttr(tfir::kTransientAttr)));
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
  uint32_t index = op.getVariable() ? variableNumbers[*op.getVariable()]
                                    : op.getReplica().value_or(0);
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
                                     datasetNumbers[next.getDataset()], &slots,
                                     next.getShard(), next.getShards())
            .Union();
    waits = next.getWaits();
  } else if (auto send = dyn_cast<exec::SendOp>(op)) {
    std::vector<uint32_t> slots = slotNumbers(send.getSlots());
    std::vector<uint32_t> edges = numbersOf(send.getEdges());
    kind = format::Action::Send;
    action = format::CreateSendDirect(b, &edges, &slots).Union();
    waits = send.getWaits();
  } else if (auto recv = dyn_cast<exec::RecvOp>(op)) {
    std::vector<uint32_t> slots = slotNumbers(recv.getSlots());
    std::vector<uint32_t> edges = numbersOf(recv.getEdges());
    kind = format::Action::Recv;
    action = format::CreateRecvDirect(b, &edges, &slots).Union();
    waits = recv.getWaits();
  } else if (auto fill = dyn_cast<exec::FillOp>(op)) {
    std::vector<char> element = constantBytes(fill.getValue());
    std::vector<uint8_t> pattern(element.begin(), element.end());
    kind = format::Action::Fill;
    action = format::CreateFillDirect(b, slotNumber.lookup(fill.getTarget()),
                                      &pattern)
                 .Union();
    waits = fill.getWaits();
  } else if (auto sleep = dyn_cast<exec::SleepOp>(op)) {
    std::vector<uint32_t> none;
    kind = format::Action::HostCall;
    action = format::CreateHostCallDirect(b, format::HostFunction::Sleep, 0,
                                          &none, 0, 1, sleep.getMilliseconds())
                 .Union();
    waits = sleep.getWaits();
  } else if (auto fail = dyn_cast<exec::FailOp>(op)) {
    std::vector<uint32_t> none;
    kind = format::Action::HostCall;
    action =
        format::CreateHostCallDirect(b, format::HostFunction::Fail, 0, &none, 0,
                                     1, 0, fail.getText().str().c_str())
            .Union();
    waits = fail.getWaits();
  } else {
    auto copy = cast<exec::CopyOp>(op);
    kind = format::Action::Copy;
    action = format::CreateCopy(b, slotNumber.lookup(copy.getSource()),
                                slotNumber.lookup(copy.getTarget()))
                 .Union();
    waits = copy.getWaits();
  }
  std::vector<uint32_t> before = numbersOf(waits);
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
  auto updates = op->getAttrOfType<IntegerAttr>(exec::kUpdatesFromAttr);
  return format::CreateProgramDirect(
      b, op.getDevice().str().c_str(), op.getArenaBytes(), op.getLiveBytes(),
      &slots, &instructions,
      updates ? static_cast<uint32_t>(updates.getInt()) : kNoUpdates);
}

fb::Offset<format::Port> IndexWriter::port(StringRef name, Value slot,
                                           Location loc, uint32_t program) {
  format::Location where = locationOf(loc);
  return format::CreatePortDirect(
      b, name.str().c_str(),
      type(cast<exec::SlotType>(slot.getType()).getTensor()), program,
      slotNumber.lookup(slot), &where);
}

/// What is known of an edge stands at the end that sends.
IndexWriter::Tables<format::Edge>
IndexWriter::edges(ArrayRef<exec::ProgramOp> ops) {
  struct Edge {
    exec::SendOp send;
    uint32_t source = 0;
    size_t position = 0;
  };
  std::map<int64_t, Edge> byNumber;
  for (auto [program, op] : llvm::enumerate(ops))
    for (auto send : exec::ProgramOp(op).getBlock().getOps<exec::SendOp>())
      for (auto [position, edge] : llvm::enumerate(send.getEdges()))
        byNumber[edge] = {send, static_cast<uint32_t>(program), position};
  Tables<format::Edge> tables;
  for (auto &[number, edge] : byNumber) {
    auto slot =
        edge.send.getSlots()[edge.position].getDefiningOp<exec::SlotOp>();
    auto collectives = edge.send.getCollectives();
    format::Location loc = locationOf(slot.getLoc());
    tables.push_back(format::CreateEdgeDirect(
        b, edge.source, edge.send.getTo(), slot.getSlot().getType().getBytes(),
        nameOf(slot).c_str(), collectives ? (*collectives)[edge.position] : 0,
        &loc));
  }
  return tables;
}

/// The programs of one graph.
fb::Offset<format::Graph> IndexWriter::graph(ArrayRef<exec::ProgramOp> ops) {
  Tables<format::Program> programs;
  std::map<int64_t, fb::Offset<format::Port>> feedsByOrder, fetchesByOrder;
  for (auto [number, op] : llvm::enumerate(ops)) {
    programs.push_back(program(op));
    for (Operation &inner : exec::ProgramOp(op).getBlock()) {
      if (auto feed = dyn_cast<exec::FeedOp>(inner))
        feedsByOrder[feed.getOrder()] =
            port(feed.getFeed(), feed.getSlot(), feed.getLoc(), number);
      else if (auto fetch = dyn_cast<exec::FetchOp>(inner))
        fetchesByOrder[fetch.getOrder()] =
            port(fetch.getFetch(), fetch.getSlot(), fetch.getLoc(), number);
    }
  }
  Tables<format::Port> feeds, fetches;
  for (auto [order, feed] : feedsByOrder)
    feeds.push_back(feed);
  for (auto [order, fetch] : fetchesByOrder)
    fetches.push_back(fetch);
  exec::ProgramOp first = ops.front();
  format::Location loc = locationOf(first.getLoc());
  std::string name = first.getGraph().str();
  fb::Offset<format::Instance> own = writeInstance(ops, variableNumbers, b);
  if (ops.size() == 1)
    return format::CreateGraphDirect(b, name.c_str(), &feeds, &fetches,
                                     &programs, &loc, nullptr, nullptr,
                                     replicasOf(first), own);
  Tables<format::Edge> edgeTables = edges(ops);
  std::vector<uint32_t> order;
  if (auto given = first->getAttrOfType<DenseI64ArrayAttr>(exec::kOrderAttr))
    order = numbersOf(given);
  return format::CreateGraphDirect(b, name.c_str(), &feeds, &fetches, &programs,
                                   &loc, &edgeTables, &order, replicasOf(first),
                                   own);
}

IndexWriter::Tables<format::Graph> IndexWriter::graphs() {
  llvm::MapVector<Attribute, SmallVector<exec::ProgramOp>> graphs;
  for (auto op : module.getOps<exec::ProgramOp>())
    graphs[op.getGraphAttr()].push_back(op);
  Tables<format::Graph> tables;
  for (auto &[name, ops] : graphs)
    tables.push_back(graph(ops));
  return tables;
}

fb::DetachedBuffer IndexWriter::write(const Origin &origin) {
  format::Blob source =
      blobs.add(ArrayRef(origin.source.data(), origin.source.size()));
  format::Blob report =
      blobs.add(ArrayRef(origin.report.data(), origin.report.size()));
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
      &graphTables, origin.report.empty() ? nullptr : &report);
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
