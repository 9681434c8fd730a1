// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Values of steps as lines of a file: JSON or CSV.
#ifndef GRAPHC_TOOLS_GRAPHC_RUN_STEPLOG_H
#define GRAPHC_TOOLS_GRAPHC_RUN_STEPLOG_H

#include "runtime/base/Status.h"
#include "runtime/session/RunRequest.h"

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

namespace graphc::run {

/// A line per step: its number, seconds since the log was begun, the number
/// scalars that are fetched. Thread-safety: one call at a time.
class StepLog {
public:
  /// `text`: "jsonl:FILE" or "csv:FILE". A file that is there is gone on with;
  /// the columns of a CSV file are then those that it has.
  static runtime::StatusOr<std::unique_ptr<StepLog>>
  open(const std::string &text);

  /// INVALID_ARGUMENT for a CSV file with other columns.
  runtime::Status add(const runtime::StepView &step);
  /// Writes what is left, and tells whether all was written.
  runtime::Status close();

private:
  struct CloseFile {
    void operator()(std::FILE *file) const { std::fclose(file); }
  };

  StepLog(std::string path, std::FILE *file, bool isCsv)
      : path(std::move(path)), file(file), isCsv(isCsv) {}
  runtime::Status writeHeader(const std::string &columns);

  std::string path;
  std::unique_ptr<std::FILE, CloseFile> file;
  bool isCsv;
  bool hasHeader = false;
  int64_t startNanos = 0;
};

/// INVALID_ARGUMENT where a --log is of no known form.
runtime::Status checkLogText(const std::string &text);

} // namespace graphc::run

#endif
