// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/graphc-run/summary/OpSummaries.h"

#include "tools/graphc-run/Values.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace graphc::run {

using namespace runtime;

namespace {

std::vector<float> floatsOf(std::span<const std::byte> bytes) {
  std::vector<float> floats(bytes.size() / sizeof(float));
  if (!floats.empty())
    std::memcpy(floats.data(), bytes.data(), floats.size() * sizeof(float));
  return floats;
}

/// Writes the summaries of one step.
class OpWriter {
public:
  OpWriter(SummaryWriter &writer, const StepView &values, int64_t step)
      : writer(writer), values(values), step(step) {}

  /// `fetch` counts from the first that is for summaries.
  Status write(const format::Summary &summary, size_t fetch);

private:
  Status writeHistogram(const std::string &tag, size_t fetch);
  Status writeImages(const format::Summary &summary, size_t fetch);
  Status writeAudio(const format::Summary &summary, size_t fetch);
  Status writeCurve(const format::Summary &summary, size_t fetch);
  template <typename Write>
  Status writeFirst(const format::Summary &summary, size_t fetch,
                    const char *kind, Write write);

  SummaryWriter &writer;
  const StepView &values;
  int64_t step;
};

/// Calls write(tag, bytes) for each of the first of a batch.
template <typename Write>
Status OpWriter::writeFirst(const format::Summary &summary, size_t fetch,
                            const char *kind, Write write) {
  int64_t count = values.type(fetch).shape[0];
  std::span<const std::byte> bytes = values.bytes(fetch);
  size_t size = count > 0 ? bytes.size() / static_cast<size_t>(count) : 0;
  std::string tag = summary.tag()->str() + "/" + kind;
  for (int64_t i = 0; i < std::min<int64_t>(count, summary.max_outputs()); ++i)
    GRAPHC_TRY(
        write(summary.max_outputs() == 1 ? tag : tag + "/" + std::to_string(i),
              bytes.subspan(static_cast<size_t>(i) * size, size)));
  return Status::ok();
}

Status OpWriter::writeHistogram(const std::string &tag, size_t fetch) {
  HistogramCounts counts;
  GRAPHC_TRY(counts.addAll(values.type(fetch).dtype, values.bytes(fetch)));
  writer.addHistogram(tag, counts, step);
  return Status::ok();
}

Status OpWriter::writeImages(const format::Summary &summary, size_t fetch) {
  TensorType type = values.type(fetch);
  ImagePixels image;
  image.height = static_cast<uint32_t>(type.shape[1]);
  image.width = static_cast<uint32_t>(type.shape[2]);
  image.channels = static_cast<uint32_t>(type.shape[3]);
  return writeFirst(
      summary, fetch, "image",
      [&](const std::string &tag, std::span<const std::byte> bytes) {
        std::vector<std::byte> scaled;
        if (type.dtype == DType::Float32)
          scaled = scaledPixels(floatsOf(bytes));
        image.bytes = type.dtype == DType::Float32
                          ? std::span<const std::byte>(scaled)
                          : bytes;
        return writer.addImage(tag, image, step);
      });
}

Status OpWriter::writeAudio(const format::Summary &summary, size_t fetch) {
  TensorType type = values.type(fetch);
  AudioSamples audio;
  audio.rate = static_cast<float>(summary.sample_rate());
  audio.channels =
      type.shape.size() == 3 ? static_cast<uint32_t>(type.shape[2]) : 1;
  return writeFirst(
      summary, fetch, "audio",
      [&](const std::string &tag, std::span<const std::byte> bytes) {
        std::vector<float> samples = floatsOf(bytes);
        audio.samples = samples;
        return writer.addAudio(tag, audio, step);
      });
}

Status OpWriter::writeCurve(const format::Summary &summary, size_t fetch) {
  PrCounts counted(values.bytes(fetch), floatsOf(values.bytes(fetch + 1)),
                   summary.thresholds());
  return writer.addPrCurve(summary.tag()->str() + "/pr_curves",
                           counted.counts(), step);
}

Status OpWriter::write(const format::Summary &summary, size_t fetch) {
  std::string tag = summary.tag()->str();
  TensorType type = values.type(fetch);
  switch (summary.kind()) {
  case format::SummaryKind::Scalar:
    writer.addScalar(tag, elementAt(type.dtype, values.bytes(fetch), 0), step);
    return Status::ok();
  case format::SummaryKind::Histogram:
    return writeHistogram(tag, fetch);
  case format::SummaryKind::Image:
    return writeImages(summary, fetch);
  case format::SummaryKind::Text:
    writer.addText(tag, formatValue(type, values.bytes(fetch)), step);
    return Status::ok();
  case format::SummaryKind::Audio:
    return writeAudio(summary, fetch);
  case format::SummaryKind::PrCurve:
    return writeCurve(summary, fetch);
  }
  return Status::ok();
}

/// From the largest threshold on: how many are at this or a larger one.
void addUp(std::vector<float> &counts) {
  for (size_t i = counts.size() - 1; i-- > 0;)
    counts[i] += counts[i + 1];
}

} // namespace

PrCounts::PrCounts(std::span<const std::byte> labels,
                   std::span<const float> predictions, size_t thresholds)
    : truePositives(thresholds), falsePositives(thresholds),
      trueNegatives(thresholds), falseNegatives(thresholds) {
  for (size_t i = 0; i < std::min(labels.size(), predictions.size()); ++i) {
    float place = predictions[i] * static_cast<float>(thresholds - 1);
    if (std::isnan(place))
      continue;
    place = std::clamp(place, 0.0f, static_cast<float>(thresholds - 1));
    auto bucket = static_cast<size_t>(place);
    (labels[i] != std::byte{0} ? truePositives : falsePositives)[bucket] += 1;
  }
  addUp(truePositives);
  addUp(falsePositives);
  for (size_t i = 0; i < thresholds; ++i) {
    trueNegatives[i] = falsePositives[0] - falsePositives[i];
    falseNegatives[i] = truePositives[0] - truePositives[i];
  }
}

std::vector<std::byte> scaledPixels(std::span<const float> pixels) {
  float least = 0, most = 0;
  for (float pixel : pixels)
    if (std::isfinite(pixel)) {
      least = std::min(least, pixel);
      most = std::max(most, pixel);
    }
  bool isSigned = least < 0;
  float largest = isSigned ? std::max(-least, most) : most;
  float scale = largest > 0 ? (isSigned ? 127.0f : 255.0f) / largest : 0.0f;
  float offset = isSigned ? 127.0f : 0.0f;
  std::vector<std::byte> bytes;
  bytes.reserve(pixels.size());
  for (float pixel : pixels) {
    float value = std::isfinite(pixel) ? pixel * scale + offset : 0.0f;
    bytes.push_back(static_cast<std::byte>(std::clamp(value, 0.0f, 255.0f)));
  }
  return bytes;
}

void writeSummaries(SummaryWriter &writer, const format::Graph &variant,
                    const StepView &values, int64_t step,
                    const std::function<void(const std::string &tag,
                                             const Status &why)> &note) {
  uint32_t first = variant.summaries()->Get(0)->fetch();
  OpWriter ops(writer, values, step);
  for (const format::Summary *summary : *variant.summaries()) {
    Status status = ops.write(*summary, summary->fetch() - first);
    if (!status.isOk())
      note(summary->tag()->str(), status);
  }
}

} // namespace graphc::run
