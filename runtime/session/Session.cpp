// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/session/Session.h"

#include "runtime/checkpoint/CheckpointFolder.h"
#include "runtime/checkpoint/Safetensors.h"

namespace graphc::runtime {

StatusOr<std::vector<HostTensor>> Session::run(RunRequest request) {
  request.steps = 1;
  std::vector<HostTensor> values;
  GRAPHC_ASSIGN_OR_RETURN(RunOutcome outcome,
                          runSteps(request, [&](const StepView &view) {
                            for (size_t i = 0; i < view.size(); ++i)
                              values.push_back(view.tensor(i));
                            return true;
                          }));
  if (outcome.end == RunOutcome::End::EndOfData)
    return outOfRange("the data of graph '" + request.graph +
                      "' are at their end; bind the dataset again");
  return values;
}

Status Session::save(const std::string &path, const Metadata &metadata) {
  GRAPHC_ASSIGN_OR_RETURN(std::unique_ptr<StateCapture> captured, capture());
  GRAPHC_ASSIGN_OR_RETURN(const SessionState *state, captured->await());
  SafetensorsMetadata texts = metadata;
  texts.insert(state->texts.begin(), state->texts.end());
  return saveSafetensors(path, state->values, texts);
}

Status Session::load(const std::string &path, Metadata *metadata) {
  GRAPHC_ASSIGN_OR_RETURN(std::unique_ptr<TensorReader> checkpoint,
                          openCheckpoint(path));
  GRAPHC_TRY(restore(*checkpoint));
  if (metadata)
    *metadata = checkpoint->texts();
  return Status::ok();
}

} // namespace graphc::runtime
