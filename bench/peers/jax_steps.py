# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Training steps of JAX, each one compiled call; see digit_steps.py."""
import digit_steps

try:
    import jax
    import jax.numpy as jnp
    import numpy as np
    from jax import lax
except ImportError as error:
    digit_steps.missing(f"no jax ({error})")
BACKEND = "cpu" if digit_steps.is_on_cpu() else "gpu"
if jax.default_backend() != BACKEND:
    digit_steps.missing(f"jax sees no {BACKEND.upper()}, or prefers another "
                        "device (JAX_PLATFORMS)")

# As graphc without --matmul: 32-bit products.
jax.config.update("jax_default_matmul_precision", "highest")
MODEL, BATCH, STEPS = digit_steps.command_line()
RATE, PENALTY = digit_steps.RATES[MODEL], digit_steps.PENALTIES[MODEL]
SHAPES = {"mlp": [(784, 500), (500,), (500, 10), (10,)],
          "lenet5": [(5, 5, 1, 32), (32,), (5, 5, 32, 64), (64,), (3136, 512),
                     (512,), (512, 10), (10,)]}
PENALISED = {"mlp": (0, 2), "lenet5": (4, 6)}


def layer(x, w, b):
    x = lax.conv_general_dilated(x, w, (1, 1), "SAME",
                                 dimension_numbers=("NHWC", "HWIO", "NHWC"))
    return lax.reduce_window(jax.nn.relu(x + b), -jnp.inf, lax.max,
                             (1, 2, 2, 1), (1, 2, 2, 1), "VALID")


def logits(weights, pixels, key):
    if MODEL == "mlp":
        w1, b1, w2, b2 = weights
        return jax.nn.relu(pixels.reshape(-1, 784) @ w1 + b1) @ w2 + b2
    c1, b1, c2, b2, w3, b3, w4, b4 = weights
    images = pixels.reshape(-1, 28, 28, 1) - 0.5
    flat = layer(layer(images, c1, b1), c2, b2).reshape(-1, 3136)
    hidden = jax.nn.relu(flat @ w3 + b3)
    kept = jax.random.bernoulli(key, 0.5, hidden.shape)
    return jnp.where(kept, hidden * 2, 0) @ w4 + b4


def loss_of(weights, images, labels, key):
    scores = jax.nn.log_softmax(
        logits(weights, images.astype(jnp.float32) / 255, key))
    entropy = -jnp.mean(
        jnp.take_along_axis(scores, labels[:, None].astype(int), 1))
    norm = sum(0.5 * jnp.sum(weights[i] ** 2) for i in PENALISED[MODEL])
    return entropy + PENALTY * norm


def train(weights, state, key, images, labels):
    key, drop = jax.random.split(key)
    loss, gradients = jax.value_and_grad(loss_of)(weights, images, labels, drop)
    if MODEL == "mlp":
        weights = [w - RATE * g for w, g in zip(weights, gradients)]
        state = [s + (1 - digit_steps.EMA_DECAY) * (w - s)
                 for s, w in zip(state, weights)]
    else:
        state = [digit_steps.MOMENTUM * s + g for s, g in zip(state, gradients)]
        weights = [w - RATE * s for w, s in zip(weights, state)]
    return weights, state, key, loss


def main():
    numbers = np.random.default_rng(1)
    weights = [jnp.asarray(numbers.normal(0, 0.05, shape), jnp.float32)
               if len(shape) > 1 else jnp.full(shape, 0.1)
               for shape in SHAPES[MODEL]]
    held = [weights, [jnp.zeros_like(w) for w in weights], jax.random.key(1)]
    compiled = jax.jit(train, donate_argnums=(0, 1, 2))

    def step(images, labels):
        *held[:], loss = compiled(*held, images, labels)
        return float(loss)

    digit_steps.report(jax.__version__, step,
                       digit_steps.batches(np, BATCH), STEPS)


main()
