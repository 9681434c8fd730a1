# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Training steps of PyTorch, on a GPU as one CUDA graph; see digit_steps.py."""
import digit_steps

try:
    import torch
    import torch.nn.functional as F
    import numpy as np
except ImportError as error:
    digit_steps.missing(f"no torch ({error})")
DEVICE = "cpu" if digit_steps.is_on_cpu() else "cuda"
if DEVICE == "cuda" and not torch.cuda.is_available():
    digit_steps.missing("torch sees no GPU")

# As graphc without --matmul: 32-bit products.
torch.backends.cuda.matmul.allow_tf32 = False
torch.backends.cudnn.allow_tf32 = False
torch.backends.cudnn.benchmark = True
MODEL, BATCH, STEPS = digit_steps.command_line()
RATE, PENALTY = digit_steps.RATES[MODEL], digit_steps.PENALTIES[MODEL]


def weight(*shape, stddev=0.1):
    value = torch.empty(*shape, device=DEVICE)
    torch.nn.init.trunc_normal_(value, std=stddev, a=-2 * stddev, b=2 * stddev)
    if len(shape) == 4:
        value = value.to(memory_format=torch.channels_last)
    return value.requires_grad_()


def bias(size, value):
    return torch.full((size,), value, device=DEVICE, requires_grad=True)


class Mlp:
    def __init__(self):
        self.weights = [weight(784, 500), bias(500, 0.1), weight(500, 10),
                        bias(10, 0.1)]
        self.state = [w.detach().clone() for w in self.weights]

    def logits(self, pixels):
        w1, b1, w2, b2 = self.weights
        hidden = F.relu(torch.addmm(b1, pixels.view(-1, 784), w1))
        return torch.addmm(b2, hidden, w2)

    def penalised(self):
        return self.weights[0], self.weights[2]

    def update(self, gradients):
        """SGD, and moving averages of the weights."""
        torch._foreach_add_(self.weights, gradients, alpha=-RATE)
        torch._foreach_lerp_(self.state, self.weights,
                             1 - digit_steps.EMA_DECAY)


class Lenet5:
    def __init__(self):
        self.weights = [weight(32, 1, 5, 5), bias(32, 0.0),
                        weight(64, 32, 5, 5), bias(64, 0.0),
                        weight(3136, 512, stddev=0.03), bias(512, 0.1),
                        weight(512, 10), bias(10, 0.1)]
        self.state = [torch.zeros_like(w) for w in self.weights]

    def logits(self, pixels):
        c1, b1, c2, b2, w3, b3, w4, b4 = self.weights
        images = (pixels - 0.5).view(-1, 1, 28, 28)
        images = images.to(memory_format=torch.channels_last)
        first = F.max_pool2d(F.relu(F.conv2d(images, c1, b1, padding=2)), 2)
        second = F.max_pool2d(F.relu(F.conv2d(first, c2, b2, padding=2)), 2)
        hidden = F.relu(torch.addmm(b3, second.flatten(1), w3))
        return torch.addmm(b4, F.dropout(hidden, 0.5), w4)

    def penalised(self):
        return self.weights[4], self.weights[6]

    def update(self, gradients):
        """SGD with momentum."""
        torch._foreach_mul_(self.state, digit_steps.MOMENTUM)
        torch._foreach_add_(self.state, gradients)
        torch._foreach_add_(self.weights, self.state, alpha=-RATE)


def train(model, images, labels):
    logits = model.logits(images.float() * (1 / 255))
    norm = sum(0.5 * w.square().sum() for w in model.penalised())
    loss = F.cross_entropy(logits, labels.long()) + PENALTY * norm
    gradients = torch.autograd.grad(loss, model.weights)
    with torch.no_grad():
        model.update(gradients)
    return loss.detach()


def cpu_step(model):
    def step(images, labels):
        return train(model, torch.from_numpy(images.copy()),
                     torch.from_numpy(labels.copy())).item()

    return step


def gpu_step(model):
    pinned = [torch.zeros(BATCH, 28, 28, dtype=torch.uint8).pin_memory(),
              torch.zeros(BATCH, dtype=torch.uint8).pin_memory()]
    inputs = [p.cuda() for p in pinned]
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(3):
            train(model, *inputs)
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        loss = train(model, *inputs)

    def step(images, labels):
        for value, host, device in zip((images, labels), pinned, inputs):
            host.numpy()[...] = value
            device.copy_(host, non_blocking=True)
        graph.replay()
        return loss.item()

    return step


def main():
    model = {"mlp": Mlp, "lenet5": Lenet5}[MODEL]()
    step = cpu_step(model) if DEVICE == "cpu" else gpu_step(model)
    digit_steps.report(torch.__version__, step,
                       digit_steps.batches(np, BATCH), STEPS)


main()
