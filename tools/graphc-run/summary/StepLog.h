// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A file with the scalars of steps, as JSON lines or CSV.
#ifndef GRAPHC_TOOLS_GRAPHC_RUN_SUMMARY_STEPLOG_H
#define GRAPHC_TOOLS_GRAPHC_RUN_SUMMARY_STEPLOG_H

#include "runtime/session/RunRequest.h"
#include "tools/graphc-run/summary/SummaryFlags.h"

#include <cstdio>
#include <memory>

namespace graphc::run {

/// True for what logs have: scalars but for texts.
bool isLoggedScalar(const runtime::TensorType &type);
/// The shortest text that reads as the same number.
std::string scalarText(const runtime::TensorType &type,
                       std::span<const std::byte> bytes);

/// Thread-safety: one call at a time.
class StepLog {
public:
  /// Begins the file anew, or, where `goesOn`, writes at its end.
  static runtime::StatusOr<std::unique_ptr<StepLog>>
  open(const SummaryFlags &flags, bool goesOn);

  /// Writes a line; `time` in seconds since 1970. The first failure is what
  /// each later call returns.
  runtime::Status add(const runtime::StepView &step, double time);

private:
  struct Close {
    void operator()(std::FILE *file) const { std::fclose(file); }
  };

  StepLog(std::FILE *file, std::string path, SummaryFlags::LogForm form,
          bool hasHeader)
      : file(file), path(std::move(path)), form(form), hasHeader(hasHeader) {}
  std::string header(const runtime::StepView &step) const;
  std::string csvLine(const runtime::StepView &step, double time) const;
  std::string jsonLine(const runtime::StepView &step, double time) const;

  std::unique_ptr<std::FILE, Close> file;
  std::string path;
  SummaryFlags::LogForm form;
  bool hasHeader;
  runtime::Status failure;
};

} // namespace graphc::run

#endif
