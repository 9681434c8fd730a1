// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/summary/SummaryWriter.h"

#include "runtime/base/Clock.h"
#include "runtime/summary/ProtoWriter.h"

#include <algorithm>
#include <cctype>
#include <chrono>
#include <cmath>

namespace graphc::runtime {

namespace {
/// Fields of the message Event.
enum EventField : uint32_t {
  kWallTime = 1,
  kStep = 2,
  kFileVersion = 3,
  kGraphDef = 4,
  kSummary = 5,
  kSessionLog = 7,
  kTaggedRunMetadata = 8
};
constexpr int64_t kFloatType = 1, kStringType = 7; ///< of TensorProto
constexpr double kNanosPerSecond = 1e9;
/// More waits in memory only for the time of a few steps.
constexpr size_t kMaxBuffered = 1 << 20;

ProtoWriter shapeOf(std::span<const int64_t> sizes) {
  ProtoWriter shape;
  for (int64_t size : sizes)
    shape.addMessage(2, ProtoWriter().addInt(1, size));
  return shape;
}

ProtoWriter floatTensor(std::span<const int64_t> sizes,
                        std::span<const float> values) {
  ProtoWriter tensor;
  tensor.addInt(1, kFloatType).addMessage(2, shapeOf(sizes));
  tensor.addBytes(
      4, {reinterpret_cast<const char *>(values.data()), values.size_bytes()});
  return tensor;
}

/// An empty tensor, which the hparams page expects beside its message.
ProtoWriter noTensor() {
  constexpr int64_t kNone[] = {0};
  return floatTensor(kNone, {});
}

template <typename T> void appendLittle(std::string &to, T value) {
  to.append(reinterpret_cast<const char *>(&value), sizeof(value));
}

/// A WAV file with 16 bits per sample.
std::string encodeWav(const AudioSamples &audio) {
  constexpr uint16_t kPcm = 1, kBits = 16;
  auto rate = static_cast<uint32_t>(std::lround(audio.rate));
  auto channels = static_cast<uint16_t>(audio.channels);
  auto frame = static_cast<uint16_t>(channels * (kBits / 8));
  auto bytes = static_cast<uint32_t>(audio.samples.size() * (kBits / 8));
  std::string wav = "RIFF";
  appendLittle<uint32_t>(wav, 36 + bytes);
  wav += "WAVEfmt ";
  appendLittle<uint32_t>(wav, 16);
  appendLittle(wav, kPcm);
  appendLittle(wav, channels);
  appendLittle(wav, rate);
  appendLittle<uint32_t>(wav, rate * frame);
  appendLittle(wav, frame);
  appendLittle(wav, kBits);
  wav += "data";
  appendLittle(wav, bytes);
  for (float sample : audio.samples) {
    float clamped = std::clamp(std::isnan(sample) ? 0.0f : sample, -1.0f, 1.0f);
    appendLittle(wav, static_cast<int16_t>(std::lround(clamped * 32767)));
  }
  return wav;
}
} // namespace

double wallSeconds() {
  return std::chrono::duration<double>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

std::string summaryTag(std::string_view name) {
  std::string tag(
      name.substr(std::min(name.find_first_not_of('/'), name.size())));
  for (char &c : tag)
    if (!std::isalnum(static_cast<unsigned char>(c)) &&
        std::string_view("-/_.").find(c) == std::string_view::npos)
      c = '_';
  return tag.empty() ? "_" : tag;
}

StatusOr<std::unique_ptr<SummaryWriter>>
SummaryWriter::open(const std::string &folder, SummaryOptions options) {
  GRAPHC_ASSIGN_OR_RETURN(EventFile file, EventFile::create(folder));
  std::unique_ptr<SummaryWriter> writer(
      new SummaryWriter(std::move(file), options));
  writer->addEvent(ProtoWriter().addBytes(kFileVersion, "brain.Event:2"), 0,
                   wallSeconds());
  GRAPHC_TRY(writer->flush());
  return writer;
}

SummaryWriter::SummaryWriter(EventFile file, SummaryOptions options)
    : file(std::move(file)), options(options), writtenNanos(nowNanos()) {}

// Whoever wants to know that all was written calls close().
SummaryWriter::~SummaryWriter() { static_cast<void>(close()); }

void SummaryWriter::addEvent(const ProtoWriter &fields, int64_t step,
                             double wallTime) {
  ProtoWriter event;
  event.addDouble(kWallTime, wallTime).addInt(kStep, step);
  std::lock_guard lock(mutex);
  if (isClosed)
    return;
  file.append(event.bytes() + fields.bytes());
  int64_t now = nowNanos();
  bool isLate = static_cast<double>(now - writtenNanos) >=
                options.flushSeconds * kNanosPerSecond;
  // Of a disk that is full each step would ask anew, so time counts alone.
  if (!isLate && !(failure.isOk() && file.pending() >= kMaxBuffered))
    return;
  failure = file.write();
  writtenNanos = now;
}

void SummaryWriter::addValue(std::string_view tag, const ProtoWriter &value,
                             int64_t step, double wallTime) {
  ProtoWriter named;
  named.addBytes(1, summaryTag(tag));
  ProtoWriter summary;
  summary.addBytes(1, named.bytes() + value.bytes());
  addEvent(ProtoWriter().addMessage(kSummary, summary), step, wallTime);
}

void SummaryWriter::addPlugin(std::string_view tag, std::string_view plugin,
                              std::string_view content,
                              const ProtoWriter &tensor, int64_t step,
                              double wallTime) {
  ProtoWriter data;
  data.addBytes(1, plugin).addBytes(2, content);
  ProtoWriter value;
  value.addMessage(9, ProtoWriter().addMessage(1, data)).addMessage(8, tensor);
  addValue(tag, value, step, wallTime);
}

void SummaryWriter::addScalar(std::string_view tag, double value, int64_t step,
                              double wallTime) {
  addValue(tag, ProtoWriter().addFloat(2, static_cast<float>(value)), step,
           wallTime);
}

void SummaryWriter::addHistogram(std::string_view tag,
                                 const HistogramCounts &counts, int64_t step,
                                 double wallTime) {
  addValue(tag, ProtoWriter().addBytes(5, counts.encode()), step, wallTime);
}

void SummaryWriter::addText(std::string_view tag, std::string_view text,
                            int64_t step, double wallTime) {
  ProtoWriter tensor;
  tensor.addInt(1, kStringType).addMessage(2, ProtoWriter()).addBytes(8, text);
  addPlugin(tag, "text", "", tensor, step, wallTime);
}

Status SummaryWriter::addImage(std::string_view tag, const ImagePixels &image,
                               int64_t step, double wallTime) {
  GRAPHC_ASSIGN_OR_RETURN(std::string png, encodePng(image));
  ProtoWriter proto;
  proto.addInt(1, image.height).addInt(2, image.width);
  proto.addInt(3, image.channels).addBytes(4, png);
  addValue(tag, ProtoWriter().addMessage(4, proto), step, wallTime);
  return Status::ok();
}

Status SummaryWriter::addAudio(std::string_view tag, const AudioSamples &audio,
                               int64_t step, double wallTime) {
  constexpr size_t kMaxSamples = 1 << 28; // WAV has sizes of 32 bits
  if (audio.channels == 0 || audio.channels > 64 || !(audio.rate >= 1) ||
      audio.rate > 1e6f || audio.samples.size() > kMaxSamples ||
      audio.samples.size() % audio.channels != 0)
    return invalidArgument(
        "no sound has " + std::to_string(audio.samples.size()) +
        " samples of " + std::to_string(audio.channels) + " channels, " +
        std::to_string(audio.rate) + " in a second");
  ProtoWriter proto;
  proto.addFloat(1, audio.rate).addInt(2, audio.channels);
  proto.addInt(3, static_cast<int64_t>(audio.samples.size() / audio.channels));
  proto.addBytes(4, encodeWav(audio)).addBytes(5, "audio/wav");
  addValue(tag, ProtoWriter().addMessage(6, proto), step, wallTime);
  return Status::ok();
}

Status SummaryWriter::addPrCurve(std::string_view tag,
                                 const PrCurveCounts &counts, int64_t step,
                                 double wallTime) {
  size_t size = counts.truePositives.size();
  if (size < 2 || counts.falsePositives.size() != size ||
      counts.trueNegatives.size() != size ||
      counts.falseNegatives.size() != size)
    return invalidArgument("the counts of a precision-recall curve need one "
                           "length of at least 2");
  std::vector<float> rows;
  for (std::span<const float> row :
       {counts.truePositives, counts.falsePositives, counts.trueNegatives,
        counts.falseNegatives})
    rows.insert(rows.end(), row.begin(), row.end());
  auto addRatios = [&](std::span<const float> others) {
    for (size_t i = 0; i < size; ++i)
      rows.push_back(counts.truePositives[i] /
                     std::max(1e-7f, counts.truePositives[i] + others[i]));
  };
  addRatios(counts.falsePositives); // precision
  addRatios(counts.falseNegatives); // recall
  int64_t shape[] = {6, static_cast<int64_t>(size)};
  ProtoWriter content;
  content.addInt(1, 0).addInt(2, shape[1]);
  addPlugin(tag, "pr_curves", content.bytes(), floatTensor(shape, rows), step,
            wallTime);
  return Status::ok();
}

void SummaryWriter::addGraph(const std::vector<GraphDefNode> &nodes,
                             double wallTime) {
  addEvent(ProtoWriter().addBytes(kGraphDef, encodeGraph(nodes)), 0, wallTime);
}

void SummaryWriter::addRunMetadata(std::string_view tag,
                                   const std::vector<NodeTime> &times,
                                   int64_t step, double wallTime) {
  ProtoWriter tagged;
  tagged.addBytes(1, tag).addBytes(2, encodeRunMetadata(times));
  addEvent(ProtoWriter().addMessage(kTaggedRunMetadata, tagged), step,
           wallTime);
}

void SummaryWriter::addHparams(const Hparams &hparams,
                               const std::vector<std::string> &metrics,
                               double wallTime) {
  std::vector<std::string> tags;
  for (const std::string &metric : metrics)
    tags.push_back(summaryTag(metric));
  addPlugin("_hparams_/experiment", "hparams", encodeExperiment(hparams, tags),
            noTensor(), 0, wallTime);
  addPlugin("_hparams_/session_start_info", "hparams",
            encodeSessionStart(hparams, "", wallTime), noTensor(), 0, wallTime);
}

void SummaryWriter::addSessionEnd(bool isSuccess, double wallTime) {
  addPlugin("_hparams_/session_end_info", "hparams",
            encodeSessionEnd(isSuccess, wallTime), noTensor(), 0, wallTime);
}

void SummaryWriter::addRestart(int64_t step, double wallTime) {
  constexpr int64_t kStart = 1; // SessionLog.status
  addEvent(
      ProtoWriter().addMessage(kSessionLog, ProtoWriter().addInt(1, kStart)),
      step, wallTime);
}

Status SummaryWriter::flush() {
  std::lock_guard lock(mutex);
  failure = file.write();
  writtenNanos = nowNanos();
  return failure;
}

Status SummaryWriter::status() const {
  std::lock_guard lock(mutex);
  return failure;
}

Status SummaryWriter::close() {
  std::lock_guard lock(mutex);
  if (isClosed)
    return Status::ok();
  isClosed = true;
  failure = file.write();
  if (!failure.isOk())
    return failure.annotate("the last summaries are lost");
  if (file.lost() > 0)
    return dataLoss(std::to_string(file.lost()) +
                    " summaries were left out while " + path() +
                    " could not be written");
  return Status::ok();
}

} // namespace graphc::runtime
