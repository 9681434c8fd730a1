// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes what TensorBoard shows of a run.
//
//   auto writer = SummaryWriter::open("logs");
//   (*writer)->addScalar("loss", 0.5, step);
//   (*writer)->close();
#ifndef GRAPHC_RUNTIME_SUMMARY_SUMMARYWRITER_H
#define GRAPHC_RUNTIME_SUMMARY_SUMMARYWRITER_H

#include "runtime/summary/EventFile.h"
#include "runtime/summary/GraphEvent.h"
#include "runtime/summary/HistogramCounts.h"
#include "runtime/summary/PngImage.h"

#include <memory>
#include <mutex>
#include <span>

namespace graphc::runtime {

class ProtoWriter;

/// Seconds since 1970.
double wallSeconds();

/// The name as TensorFlow takes tags: characters other than letters, digits and
/// "-/_." become '_', slashes before it are left out.
std::string summaryTag(std::string_view name);

struct SummaryOptions {
  double flushSeconds = 2; ///< the longest between an event's add and its write
                           ///< while others follow
};

/// Counts of a binary classifier at thresholds that ascend from 0 to 1; all
/// spans have one length. Thread-safety: as a value type.
struct PrCurveCounts {
  std::span<const float> truePositives, falsePositives, trueNegatives,
      falseNegatives;
};

/// Sound of some channels, whose samples alternate, in [-1, 1].
struct AudioSamples {
  float rate = 44100; ///< samples per second
  uint32_t channels = 1;
  std::span<const float> samples;
};

/// A file of events in a folder; each process that writes to a folder has its
/// own. Failures to write do not end a training: what cannot be written is
/// tried again, and flush(), status() and close() tell. Wall times are seconds
/// since 1970, steps those that are done. Thread-safety: any calls at a time.
class SummaryWriter {
public:
  static StatusOr<std::unique_ptr<SummaryWriter>>
  open(const std::string &folder, SummaryOptions options = {});
  ~SummaryWriter();

  const std::string &path() const { return file.path(); }

  void addScalar(std::string_view tag, double value, int64_t step,
                 double wallTime = wallSeconds());
  void addHistogram(std::string_view tag, const HistogramCounts &counts,
                    int64_t step, double wallTime = wallSeconds());
  /// Markdown, which the text page renders.
  void addText(std::string_view tag, std::string_view text, int64_t step,
               double wallTime = wallSeconds());
  /// INVALID_ARGUMENT as encodePng().
  Status addImage(std::string_view tag, const ImagePixels &image, int64_t step,
                  double wallTime = wallSeconds());
  /// INVALID_ARGUMENT: no channel, or samples that are no whole frames.
  Status addAudio(std::string_view tag, const AudioSamples &audio, int64_t step,
                  double wallTime = wallSeconds());
  /// INVALID_ARGUMENT: lengths differ, or are below 2.
  Status addPrCurve(std::string_view tag, const PrCurveCounts &counts,
                    int64_t step, double wallTime = wallSeconds());

  void addGraph(const std::vector<GraphDefNode> &nodes,
                double wallTime = wallSeconds());
  /// Shown on the graphs page as `tag`, which each step must have its own of.
  void addRunMetadata(std::string_view tag, const std::vector<NodeTime> &times,
                      int64_t step, double wallTime = wallSeconds());
  /// Parameters of the run and the scalars that it is compared by.
  void addHparams(const Hparams &hparams,
                  const std::vector<std::string> &metrics,
                  double wallTime = wallSeconds());
  /// End of the run with the hparams.
  void addSessionEnd(bool isSuccess, double wallTime = wallSeconds());

  /// A run goes on: what was written of `step` and later steps, by a process
  /// that ended, counts no more.
  void addRestart(int64_t step, double wallTime = wallSeconds());

  /// Writes what waits.
  Status flush();
  /// The last write's failure, while what it was to write waits.
  Status status() const;
  /// Writes what waits; a failure states how many events are lost.
  Status close();

private:
  SummaryWriter(EventFile file, SummaryOptions options);
  void addValue(std::string_view tag, const ProtoWriter &value, int64_t step,
                double wallTime);
  void addPlugin(std::string_view tag, std::string_view plugin,
                 std::string_view content, const ProtoWriter &tensor,
                 int64_t step, double wallTime);
  void addEvent(const ProtoWriter &fields, int64_t step, double wallTime);

  mutable std::mutex mutex;
  EventFile file; // guarded by mutex, but for its path
  const SummaryOptions options;
  int64_t writtenNanos;
  Status failure;
  bool isClosed = false;
};

} // namespace graphc::runtime

#endif
