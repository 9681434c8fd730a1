# evaluate_again.py DIR FILE COMMAND: an evaluator of the training in DIR; once it
# has evaluated, FILE is removed, and the training goes on to its end.
import os
import shlex
import subprocess
import sys

folder, data, command = sys.argv[1], sys.argv[2], shlex.split(sys.argv[3])
os.remove(folder + "/ended")
evaluator = subprocess.Popen(
    command + ["--graph=evaluate", "--evaluate", "--train-dir=" + folder,
               "--eval-secs=0.05", "--max-secs=100"],
    stdout=subprocess.PIPE, text=True)
print(evaluator.stdout.readline(), end="")
os.remove(data)
train = [word for word in command if not word.startswith("held=")]
train.reverse()
train.remove("--data")
train.reverse()
subprocess.run(train + ["--graph=train", "--train-dir=" + folder, "--steps=5",
                        "--quiet"], check=True)
print(evaluator.stdout.read(), end="")
sys.exit(evaluator.wait())
