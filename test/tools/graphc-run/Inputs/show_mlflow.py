# show_mlflow.py DIR: prints what MLflow's file store reads of a folder.
# show_mlflow.py DIR METRIC FILE: compares a metric of the only run to --log=csv.
import csv
import os
import sys


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def meta(folder):
    """The scalars of a meta.yaml."""
    found = {}
    for line in read(folder + "/meta.yaml").splitlines():
        key, value = line.split(": ", 1)
        if value.startswith("'"):
            assert value.endswith("'"), value
            value = value[1:-1].replace("''", "'")
        found[key] = value
    return found


def files(folder):
    for root, _, names in os.walk(folder):
        for name in names:
            yield os.path.relpath(os.path.join(root, name), folder)


def points(path):
    """(value, step) of a metric; times do not go back."""
    lines = [line.split(" ") for line in read(path).splitlines()]
    times = [int(time) for time, _, _ in lines]
    assert times == sorted(times) and times[0] > 1_500_000_000_000, times
    return [(float(value), int(step)) for _, value, step in lines]


def show(experiment):
    known = meta(experiment)
    assert known["artifact_location"] == "file://" + os.path.abspath(experiment)
    runs = [meta(run.path) for run in os.scandir(experiment) if run.is_dir()]
    runs.sort(key=lambda run: run["run_name"])
    print(f"experiment {known['experiment_id']}: {known['name']}, "
          f"{known['lifecycle_stage']}, {len(runs)} run"
          + ("s" if len(runs) > 1 else ""))
    for run in runs:
        folder = f"{experiment}/{run['run_id']}"
        assert run["run_uuid"] == run["run_id"] and len(run["run_id"]) == 32
        isEnded = int(run["end_time"]) >= int(run["start_time"]) > 0
        isOwn = run["artifact_uri"] == f"file://{os.path.abspath(folder)}/artifacts"
        print(f"run {run['run_name']}: status {run['status']}, "
              f"{'ended' if isEnded else 'goes on'}, artifacts "
              f"{'in its folder' if isOwn and os.path.isdir(folder + '/artifacts') else 'elsewhere'}")
        for name in sorted(files(folder)):
            if name.startswith("metrics/"):
                steps = (str(step) for _, step in points(f"{folder}/{name}"))
                print(f"  {name}: steps {' '.join(steps)}")
            elif name != "meta.yaml":
                print(f"  {name}: {read(f'{folder}/{name}')}")


root = sys.argv[1] + "/0"
if len(sys.argv) == 2:
    show(root)
else:
    run = next(entry.path for entry in os.scandir(root) if entry.is_dir())
    with open(sys.argv[3], encoding="utf-8", newline="") as file:
        expected = [(float(row[sys.argv[2]]), int(row["step"]))
                    for row in csv.DictReader(file)]
    found = points(f"{run}/metrics/{sys.argv[2]}")
    assert found == expected and found, (found, expected)
