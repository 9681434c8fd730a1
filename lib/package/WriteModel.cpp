// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes the index of a model.bin, table by table, and the blobs after it.
#include "lib/package/WriteModel.h"

#include "dialects/exec/Exec.h"
#include "dialects/tfir/Tfir.h"
#include "lib/frontend/SourcePlace.h"
#include "lib/package/ActionTable.h"
#include "lib/package/BlobArea.h"
#include "lib/package/Constants.h"
#include "lib/package/InstanceTable.h"
#include "lib/package/SummaryTable.h"
#include "lib/target/Target.h"
#include "lib/target/common/FusedPlace.h"
#include "lib/target/common/SharedTables.h"
#include "runtime/format/FileHeader.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"

#include <cstring>
#include <map>

using namespace mlir;
using namespace graphc;
namespace fb = flatbuffers;

namespace {

std::string nameOf(Operation *op) {
  auto name = tfir::getNodeName(op);
  return name ? name.getValue().str() : "";
}

/// Variable.device of a variable that may be anywhere.
constexpr uint32_t kNoDevice = 0xffffffff;

/// Variable.mirror_of of a variable that is no copy.
constexpr uint32_t kNoMirror = 0xffffffff;

/// Program.updates_from of a program without updates.
constexpr uint32_t kNoUpdates = 0xffffffff;

std::vector<uint32_t> numbersOf(ArrayRef<int64_t> values) {
  return std::vector<uint32_t>(values.begin(), values.end());
}

/// Code of all kernels for one target.
struct Executable {
  StringRef target;
  std::vector<uint8_t> code;
};

std::vector<Executable> writeExecutables(ModuleOp module) {
  std::vector<const Target *> targets = acceleratorTargets();
  targets.insert(targets.begin(), &hostTarget(module));
  std::vector<Executable> written;
  for (const Target *target : targets)
    if (std::vector<uint8_t> code = target->writeExecutable(module);
        !code.empty())
      written.push_back({target->executableName(), std::move(code)});
  return written;
}

/// Writes the tables of one module.
class IndexWriter {
public:
  IndexWriter(ModuleOp module, ArrayRef<Executable> code, BlobArea &blobs)
      : module(module), code(code), blobs(blobs), tables(b) {}

  fb::DetachedBuffer write(const Origin &origin);

private:
  template <typename T> using Tables = std::vector<fb::Offset<T>>;

  fb::Offset<format::TensorType> type(RankedTensorType tensor);
  /// (0, 0) for what the compiler, or an import alone, has made.
  format::Location locationOf(Location loc) {
    FileLineColLoc place = placeInSource(module, loc);
    return place ? format::Location(place.getLine(), place.getColumn())
                 : format::Location(0, 0);
  }
  fb::Offset<format::FusedOps> fusedOps(Location loc);
  Tables<format::Variable> variables();
  Tables<format::Transform> transforms(tfir::DatasetOp op);
  Tables<format::Dataset> datasets();
  Tables<format::Kernel> kernels();
  Tables<format::Executable> executables();
  Tables<format::Graph> graphs();
  fb::Offset<format::Slot> slot(exec::SlotOp op);
  fb::Offset<format::Instruction> instruction(exec::InstructionOpInterface op);
  fb::Offset<format::Program> program(exec::ProgramOp op);
  uint32_t deviceNumber(tfir::DeviceAttr device);
  fb::Offset<format::Port> port(StringRef name, Value slot, Location loc,
                                uint32_t program);
  fb::Offset<format::Graph> graph(ArrayRef<exec::ProgramOp> ops);
  Tables<format::Edge> edges(ArrayRef<exec::ProgramOp> ops);

  ModuleOp module;
  ArrayRef<Executable> code;
  BlobArea &blobs;
  fb::FlatBufferBuilder b;
  SharedTables tables;
  VariableNumbers variableNumbers;
  llvm::MapVector<Attribute, fb::Offset<format::Device>> devices;
  ActionNumbers numbers; ///< slots: of the program being written
};

fb::Offset<format::TensorType> IndexWriter::type(RankedTensorType tensor) {
  std::vector<int64_t> shape(tensor.getShape().begin(),
                             tensor.getShape().end());
  return tables.table(format::CreateTensorType,
                      dtypeOf(tensor.getElementType()), tables.list(shape));
}

IndexWriter::Tables<format::Variable> IndexWriter::variables() {
  for (auto op : module.getOps<tfir::VariableOp>())
    variableNumbers.try_emplace(op.getSymName(), variableNumbers.size());
  Tables<format::Variable> written;
  for (auto op : module.getOps<tfir::VariableOp>()) {
    format::Location loc = locationOf(op.getLoc());
    auto device = tfir::getAssignedDevice(op);
    FlatSymbolRefAttr mirrored = op.getMirrorOfAttr();
    auto textOf = [&](StringAttr text) -> fb::Offset<fb::String> {
      return text ? tables.text(text) : 0;
    };
    written.push_back(tables.table(
        format::CreateVariable, tables.text(op.getSymName()),
        type(op.getTensorType()), op.getTrainable(), &loc,
        device ? deviceNumber(device) : kNoDevice,
        mirrored ? variableNumbers.lookup(mirrored.getValue()) : kNoMirror,
        textOf(op.getPartOfAttr()), op.getPartRow().value_or(0),
        op.getTransient()));
  }
  return written;
}

IndexWriter::Tables<format::Transform>
IndexWriter::transforms(tfir::DatasetOp op) {
  Tables<format::Transform> written;
  if (op.getAugment())
    for (auto each :
         op.getAugment()->getAsRange<tfir::TransformAttrInterface>()) {
      SmallVector<double> numbers = each.getNumbers();
      written.push_back(tables.table(
          format::CreateTransform, tables.text(each.getTransformName()),
          op.indexOfField(each.getFieldName()),
          tables.list(std::vector<double>(numbers.begin(), numbers.end()))));
    }
  return written;
}

IndexWriter::Tables<format::Dataset> IndexWriter::datasets() {
  Tables<format::Dataset> written;
  for (auto op : module.getOps<tfir::DatasetOp>()) {
    numbers.datasets[op.getSymName()] = written.size();
    Tables<format::DatasetField> fields;
    for (auto [name, field] :
         llvm::zip(op.getFieldNames().getAsRange<StringAttr>(),
                   op.getFieldTypes().getAsValueRange<TypeAttr>()))
      fields.push_back(tables.table(format::CreateDatasetField,
                                    tables.text(name.getValue()),
                                    type(cast<RankedTensorType>(field))));
    format::Location loc = locationOf(op.getLoc());
    written.push_back(tables.table(
        format::CreateDataset, tables.text(op.getSymName()),
        tables.list(fields), op.getBatch().value_or(1), op.getShuffle(),
        op.getSeed(), op.getRepeat(), op.getPrefetch(), &loc, op.getPerWorker(),
        op.getMinAfterDequeue() ? static_cast<int64_t>(*op.getMinAfterDequeue())
                                : -1,
        op.getShuffleFiles(), op.getCycleLength(), op.getBlockLength(),
        op.getCache(), op.getMask() ? op.indexOfField(*op.getMask()) : -1,
        tables.list(transforms(op))));
  }
  return written;
}

IndexWriter::Tables<format::Kernel> IndexWriter::kernels() {
  Tables<format::Kernel> written;
  for (auto op : module.getOps<exec::KernelOp>()) {
    numbers.kernels[op.getSymName()] = written.size();
    written.push_back(tables.table(
        format::CreateKernel, tables.text(op.getSymName()), op.getUnits(),
        op.getScratch(), op.getFlops().convertToDouble(),
        op.getBytes().convertToDouble()));
  }
  return written;
}

IndexWriter::Tables<format::Executable> IndexWriter::executables() {
  Tables<format::Executable> written;
  for (const Executable &each : code) {
    auto *bytes = reinterpret_cast<const char *>(each.code.data());
    format::Blob blob = blobs.add(ArrayRef(bytes, each.code.size()));
    written.push_back(tables.table(format::CreateExecutable,
                                   tables.text(each.target), &blob));
  }
  return written;
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
  return tables.table(
      format::CreateSlot, static_cast<format::SlotKind>(op.getKind()),
      tables.text(nameOf(op)), type(tensor), size, op.getOffset().value_or(0),
      index, op.getValue() ? &data : nullptr, op.getFirst().value_or(0),
      op.getLast().value_or(0), &loc);
}

fb::Offset<format::FusedOps> IndexWriter::fusedOps(Location loc) {
  SmallVector<FusedPlace> ops = fusedPlaces(loc);
  if (ops.empty())
    return 0;
  std::vector<fb::Offset<fb::String>> names;
  std::vector<uint32_t> lines;
  std::vector<float> work;
  for (const auto &[place, amount] : ops) {
    names.push_back(tables.text(place.getName()));
    lines.push_back(locationOf(place).line());
    work.push_back(static_cast<float>(amount));
  }
  return tables.table(format::CreateFusedOps, tables.list(names),
                      tables.list(lines), tables.list(work));
}

fb::Offset<format::Instruction>
IndexWriter::instruction(exec::InstructionOpInterface op) {
  ActionTable action = writeAction(op, numbers, tables);
  format::Location loc = locationOf(op.getLoc());
  return tables.table(format::CreateInstruction, action.kind, action.table,
                      tables.list(numbersOf(op.getWaits())),
                      tables.text(nameOf(op)), &loc, op.getServes().value_or(0),
                      fusedOps(op.getLoc()));
}

/// The place of a device in the model's table, which it joins when it is first
/// used.
uint32_t IndexWriter::deviceNumber(tfir::DeviceAttr device) {
  auto [it, isNew] = devices.try_emplace(device);
  if (isNew)
    it->second =
        tables.table(format::CreateDevice, tables.text(device.getText()));
  return it - devices.begin();
}

fb::Offset<format::Program> IndexWriter::program(exec::ProgramOp op) {
  Tables<format::Slot> slots;
  Tables<format::Instruction> instructions;
  numbers.slots.clear();
  for (Operation &inner : op.getBlock()) {
    if (auto slotOp = dyn_cast<exec::SlotOp>(inner)) {
      numbers.slots[slotOp.getSlot()] = slots.size();
      slots.push_back(slot(slotOp));
    } else if (auto each = dyn_cast<exec::InstructionOpInterface>(inner)) {
      instructions.push_back(instruction(each));
    }
  }
  return tables.table(format::CreateProgram, deviceNumber(op.getDevice()),
                      op.getArenaBytes(), op.getLiveBytes(), tables.list(slots),
                      tables.list(instructions),
                      op.getUpdatesFrom().value_or(kNoUpdates),
                      targetOf(op).scratchOf(op).bytes);
}

fb::Offset<format::Port> IndexWriter::port(StringRef name, Value slot,
                                           Location loc, uint32_t program) {
  format::Location where = locationOf(loc);
  return tables.table(format::CreatePort, tables.text(name),
                      type(cast<exec::SlotType>(slot.getType()).getTensor()),
                      program, numbers.slots.lookup(slot), &where);
}

/// Collects the edges from their sending endpoints.
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
  Tables<format::Edge> written;
  for (auto &[number, edge] : byNumber) {
    auto slot =
        edge.send.getSlots()[edge.position].getDefiningOp<exec::SlotOp>();
    auto collectives = edge.send.getCollectives();
    format::Location loc = locationOf(slot.getLoc());
    written.push_back(tables.table(
        format::CreateEdge, edge.source, edge.send.getTo(),
        slot.getSlot().getType().getBytes(), tables.text(nameOf(slot)),
        collectives ? (*collectives)[edge.position] : 0, &loc));
  }
  return written;
}

/// The programs of one graph.
fb::Offset<format::Graph> IndexWriter::graph(ArrayRef<exec::ProgramOp> ops) {
  Tables<format::Program> programs;
  std::map<int64_t, fb::Offset<format::Port>> feedsByOrder, fetchesByOrder;
  for (auto [number, op] : llvm::enumerate(ops)) {
    programs.push_back(program(op));
    for (Operation &inner : exec::ProgramOp(op).getBlock())
      if (auto feed = dyn_cast<exec::FeedOp>(inner))
        feedsByOrder[feed.getOrder()] =
            port(feed.getFeed(), feed.getSlot(), feed.getLoc(), number);
      else if (auto fetch = dyn_cast<exec::FetchOp>(inner))
        fetchesByOrder[fetch.getOrder()] =
            port(fetch.getFetch(), fetch.getSlot(), fetch.getLoc(), number);
  }
  Tables<format::Port> feeds, fetches;
  for (auto [order, feed] : feedsByOrder)
    feeds.push_back(feed);
  for (auto [order, fetch] : fetchesByOrder)
    fetches.push_back(fetch);
  exec::ProgramOp first = ops.front();
  format::Location loc = locationOf(first.getLoc());
  fb::Offset<fb::Vector<fb::Offset<format::Edge>>> edgeTables;
  fb::Offset<fb::Vector<uint32_t>> order;
  if (ops.size() > 1) {
    edgeTables = tables.list(edges(ops));
    order =
        tables.list(numbersOf(first.getOrder().value_or(ArrayRef<int64_t>())));
  }
  return tables.table(format::CreateGraph, tables.text(first.getGraph()),
                      tables.list(feeds), tables.list(fetches),
                      tables.list(programs), &loc, edgeTables, order,
                      first.getReplicas().value_or(1),
                      writeInstance(ops, variableNumbers, tables),
                      first.getMember().value_or(0), first.getOnHost(),
                      writeSummaries(first, tables));
}

IndexWriter::Tables<format::Graph> IndexWriter::graphs() {
  llvm::MapVector<Attribute, SmallVector<exec::ProgramOp>> graphs;
  for (auto op : module.getOps<exec::ProgramOp>())
    graphs[op.getGraphAttr()].push_back(op);
  Tables<format::Graph> written;
  for (auto &[name, ops] : graphs)
    written.push_back(graph(ops));
  return written;
}

fb::DetachedBuffer IndexWriter::write(const Origin &origin) {
  format::Blob source =
      blobs.add(ArrayRef(origin.source.data(), origin.source.size()));
  format::Blob report =
      blobs.add(ArrayRef(origin.report.data(), origin.report.size()));
  std::vector<fb::Offset<fb::String>> flags;
  for (const std::string &flag : origin.flags)
    flags.push_back(tables.text(flag));
  // Instructions and slots name what comes before them.
  Tables<format::Variable> variableTables = variables();
  Tables<format::Dataset> datasetTables = datasets();
  Tables<format::Kernel> kernelTables = kernels();
  Tables<format::Executable> executableTables = executables();
  Tables<format::Graph> graphTables = graphs();
  Tables<format::Device> deviceTables;
  for (const auto &[device, table] : devices)
    deviceTables.push_back(table);
  auto model =
      tables.table(format::CreateModel, tables.text("graphc " GRAPHC_VERSION),
                   tables.text(module.getSymName().value_or("")), &source,
                   tables.list(flags), tables.list(variableTables),
                   tables.list(datasetTables), tables.list(kernelTables),
                   tables.list(executableTables), tables.list(graphTables),
                   origin.report.empty() ? nullptr : &report, 0, 0,
                   tables.list(deviceTables));
  format::FinishModelBuffer(b, model);
  return b.Release();
}

} // namespace

std::vector<std::byte> graphc::writeModel(ModuleOp module,
                                          const Origin &origin) {
  // The offsets of blobs follow the index, whose size does not depend on them.
  BlobArea blobs;
  std::vector<Executable> code = writeExecutables(module);
  fb::DetachedBuffer index = IndexWriter(module, code, blobs).write(origin);
  uint64_t indexSize = format::alignUp(index.size());
  blobs.restart(sizeof(format::FileHeader) + indexSize);
  index = IndexWriter(module, code, blobs).write(origin);

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
