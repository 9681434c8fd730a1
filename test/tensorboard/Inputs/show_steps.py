# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# show_steps.py FOLDER TAG: prints the steps of a scalar as TensorBoard reads them.
import sys

from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

events = EventAccumulator(sys.argv[1], purge_orphaned_data=True)
events.Reload()
print("steps:", *(event.step for event in events.Scalars(sys.argv[2])))
