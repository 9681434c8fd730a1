# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Linear regression on TensorFlow's tf.compat.v1 cluster: 1 parameter server and
some workers, each a process of its own with a plain session and a callable (its
fastest way), drawing its points itself. Prints a line of JSON with the updates of
the variables per second.
Run by bench/ps-steps, with the Python that has TensorFlow."""
import argparse
import json
import multiprocessing
import os
import socket
import sys
import time
from queue import Empty

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")
WARM_UP = 50


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


def build(tf, options, worker):
    """The operations: init, the step, the loss, and a meeting of the workers."""
    setter = tf.compat.v1.train.replica_device_setter(
        ps_tasks=1, worker_device=f"/job:worker/task:{worker}")
    with tf.compat.v1.device(setter):
        step = tf.compat.v1.train.get_or_create_global_step()
        slope = tf.compat.v1.get_variable("slope", initializer=0.0,
                                          use_resource=True)
        intercept = tf.compat.v1.get_variable("intercept", initializer=0.0,
                                              use_resource=True)
        ready = tf.compat.v1.get_variable("ready", initializer=0,
                                          trainable=False, use_resource=True)
        x = tf.random.uniform([100], -1.0, 1.0, seed=1 + worker)
        loss = tf.reduce_mean(
            tf.math.squared_difference(x * slope + intercept, 2.0 * x + 10.0))
        optimizer = tf.compat.v1.train.AdagradOptimizer(0.8)
        sync = None
        if options.mode == "sync":
            sync = tf.compat.v1.train.SyncReplicasOptimizer(
                optimizer, replicas_to_aggregate=options.workers,
                total_num_replicas=options.workers)
            optimizer = sync
        train = optimizer.minimize(loss, global_step=step)
        return {"step": step, "loss": loss, "train": train, "sync": sync,
                "meet": tf.compat.v1.assign_add(ready, 1), "ready": ready,
                "init": tf.compat.v1.global_variables_initializer(),
                "missing": tf.compat.v1.report_uninitialized_variables(
                    tf.compat.v1.global_variables())}


def prepare(tf, session, ops, worker):
    """Gives the variables their values, or waits until they have."""
    sync = ops["sync"]
    if worker == 0:
        session.run(ops["init"])
    while len(session.run(ops["missing"])) > 0:
        time.sleep(0.05)
    if sync is None:
        return
    session.run(sync.chief_init_op if worker == 0 else sync.local_step_init_op)


def meet(session, ops, count):
    session.run(ops["meet"])
    while session.run(ops["ready"]) < count:
        time.sleep(0.01)


def run_worker(cluster, worker, options, queue):
    import tensorflow as tf
    tf.compat.v1.disable_eager_execution()
    config = tf.compat.v1.ConfigProto(
        device_filters=["/job:ps", f"/job:worker/task:{worker}"])
    server = tf.compat.v1.train.Server(cluster, "worker", worker, config=config)
    ops = build(tf, options, worker)
    if ops["sync"]:
        runner = ops["sync"].get_chief_queue_runner()
        tokens = ops["sync"].get_init_tokens_op()
    session = tf.compat.v1.Session(server.target, config=config)
    prepare(tf, session, ops, worker)
    if ops["sync"] and worker == 0:
        coordinator = tf.compat.v1.train.Coordinator()
        runner.create_threads(session, coord=coordinator, daemon=True,
                              start=True)
        session.run(tokens)
    step = session.make_callable([ops["train"], ops["loss"]])
    meet(session, ops, options.workers)
    # Tokens of synchronous updates do not go round evenly, so all workers go on
    # until the first has measured.
    for _ in range(WARM_UP):
        step()
    while worker != 0:
        step()
    first, begin = session.run(ops["step"]), time.monotonic()
    while time.monotonic() < begin + options.seconds:
        _, loss = step()
    last, end = session.run(ops["step"]), time.monotonic()
    queue.put({"steps_per_second": float((last - first) / (end - begin)),
               "updates": int(last - first), "loss": float(loss)})
    while True:
        step()


def run_ps(cluster):
    import tensorflow as tf
    tf.compat.v1.train.Server(cluster, "ps", 0).join()


def wait_for_result(queue, tasks):
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        try:
            return queue.get(timeout=0.5)
        except Empty:
            if not all(task.is_alive() for task in tasks):
                raise SystemExit("a task ended before it had a result")
    raise SystemExit("the tasks had no result within 120 s")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mode", choices=["async", "sync"], required=True)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=2.0,
                        help="to measure")
    options = parser.parse_args()
    ports = free_ports(1 + options.workers)
    cluster = {"ps": [f"localhost:{ports[0]}"],
               "worker": [f"localhost:{port}" for port in ports[1:]]}
    context = multiprocessing.get_context("spawn")
    queue = context.Queue()
    tasks = [context.Process(target=run_ps, args=(cluster,), daemon=True)]
    tasks += [context.Process(target=run_worker,
                              args=(cluster, worker, options, queue),
                              daemon=True)
              for worker in range(options.workers)]
    for task in tasks:
        task.start()
    try:
        result = wait_for_result(queue, tasks)
    finally:
        for task in tasks:
            task.kill()
    print(json.dumps(result))


if __name__ == "__main__":
    sys.exit(main())
