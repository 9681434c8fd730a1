// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/session/Session.h"

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

} // namespace graphc::runtime
