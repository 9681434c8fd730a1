# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Linear algebra of batches of small matrices, against NumPy."""
import numpy as np

import harness
from harness import Case, Fetch, graph, type_of
from opcases import integers, normal, op_case

SHAPES = [(3, 3), (1, 1), (2, 3, 4, 4), (0, 3, 3), (17, 6, 6)]


def matrices(seed, shape, dtype=np.float32):
    """Well conditioned ones, of which elimination has to exchange rows."""
    size = shape[-1]
    x = normal(seed, *shape, dtype=dtype) * 0.3 + 2 * np.eye(size)[::-1]
    return x.astype(dtype)


def symmetric(seed, shape, dtype=np.float32):
    x = normal(seed, *shape, dtype=np.float64)
    return (x @ x.swapaxes(-1, -2) / shape[-1] +
            np.eye(shape[-1])).astype(dtype)


def lower_root(x):
    """Of the lower triangles, with a symmetric derivative."""
    low = np.tril(x) + np.tril(x, -1).swapaxes(-1, -2)
    high = np.triu(x) + np.triu(x, 1).swapaxes(-1, -2)
    if np.array_equal(np.tril(low - high), np.zeros(x.shape)):
        return np.linalg.cholesky(low)
    return np.linalg.cholesky((low + high) / 2)


def adjoint_of(x, adjoint):
    return x.swapaxes(-1, -2) if adjoint else x


def root_cases():
    for number, shape in enumerate(SHAPES):
        yield op_case(f"cholesky_{number}", "cholesky",
                      [symmetric(number, shape)], lower_root, norm=1e-6,
                      by=(0,), gradient_norm=1e-4)
    yield op_case("cholesky_f64", "cholesky",
                  [symmetric(7, (2, 5, 5), np.float64)], lower_root,
                  norm=1e-13, by=(0,), gradient_norm=1e-6)
    # What is above the diagonal is not read.
    x = symmetric(8, (4, 4))
    x[np.triu_indices(4, 1)] = np.nan
    yield op_case("cholesky_upper", "cholesky", [x],
                  lambda v: np.linalg.cholesky(
                      np.tril(v) + np.tril(v, -1).T), norm=1e-6)
    # Not positive definite from the second column on.
    x = np.float32([[4, 0, 0], [2, -3, 0], [2, 1, 5]])
    n = np.nan
    yield op_case("cholesky_indefinite", "cholesky", [x], lambda v: np.array(
        [[2, 0, 0], [1, n, 0], [1, n, n]]), norm=1e-6)


def solve_cases():
    for number, (shape, columns) in enumerate(zip(SHAPES, (2, 1, 3, 2, 5))):
        rhs = normal(10 + number, *shape[:-1], columns)
        for lower in (True, False):
            for adjoint in (True, False):
                if number and 2 * lower + adjoint != number % 4:
                    continue
                matrix = matrices(number, shape)
                matrix[...] = matrix[..., ::-1, :]

                def triangle(m, lower=lower, adjoint=adjoint):
                    return adjoint_of(np.tril(m) if lower else np.triu(m),
                                      adjoint)
                words = ([] if lower else ["lower = false"]) + (
                    ["adjoint"] if adjoint else [])
                yield op_case(
                    f"triangular_{number}_{lower}_{adjoint}".lower(),
                    "triangular_solve", [matrix, rhs],
                    lambda m, r, f=triangle: np.linalg.solve(f(m), r),
                    ", ".join(words), norm=2e-6, by=(0, 1),
                    gradient_norm=1e-4)
        for adjoint in (False, True)[:1 if number else 2]:
            yield op_case(
                f"matrix_solve_{number}_{adjoint}".lower(), "matrix_solve",
                [matrices(number, shape), rhs],
                lambda m, r, a=adjoint: np.linalg.solve(adjoint_of(m, a), r),
                "adjoint" if adjoint else "", norm=4e-6, by=(0, 1),
                gradient_norm=1e-4)
            yield op_case(
                f"matrix_inverse_{number}_{adjoint}".lower(), "matrix_inverse",
                [matrices(number, shape)],
                lambda m, a=adjoint: adjoint_of(np.linalg.inv(m), a),
                "adjoint" if adjoint else "", norm=4e-6, by=(0,),
                gradient_norm=1e-4)
        yield op_case(f"matrix_determinant_{number}", "matrix_determinant",
                      [matrices(number, shape)], np.linalg.det, norm=4e-6,
                      by=(0,), gradient_norm=1e-4)
    wide = matrices(20, (2, 4, 4), np.float64), normal(21, 2, 4, 3,
                                                       dtype=np.float64)
    yield op_case("matrix_solve_f64", "matrix_solve", list(wide),
                  np.linalg.solve, norm=1e-13, by=(0, 1), gradient_norm=1e-6)
    yield op_case("triangular_solve_f64", "triangular_solve", list(wide),
                  lambda m, r: np.linalg.solve(np.tril(m), r), norm=1e-10)
    yield op_case("matrix_determinant_f64", "matrix_determinant", [wide[0]],
                  np.linalg.det, norm=1e-13)
    # Zeros on the diagonal need other pivots, a singular matrix has none.
    x = np.float32([[0, 2, 1], [1, 0, 0], [0, 0, 4]])
    yield op_case("matrix_determinant_pivots", "matrix_determinant",
                  [np.stack([x, x * [0, 1, 1], np.zeros((3, 3), "f")])
                   .astype("f")], lambda v: np.array([-8, 0, 0]))
    yield op_case("matrix_solve_pivots", "matrix_solve",
                  [x, np.float32([[1], [2], [4]])], np.linalg.solve, norm=1e-6)


def other_cases():
    for number, shape in enumerate([(3, 3), (2, 4, 7), (2, 0, 3)]):
        for dtype in (np.float32, np.float64, np.int32,
                      np.uint8)[:1 if number else 4]:
            x = (normal(number, *shape) if np.dtype(dtype).kind == "f" else
                 integers(number, 0, 50, *shape)).astype(dtype)
            by = (0,) if dtype == np.float32 else ()
            name = f"{np.dtype(dtype).name}_{number}"
            yield op_case(f"trace_{name}", "trace", [x],
                          lambda v: np.trace(v, axis1=-2, axis2=-1), norm=1e-6,
                          dtypes=[dtype], by=by)
            yield op_case(f"matrix_transpose_{name}", "matrix_transpose", [x],
                          lambda v: v.swapaxes(-1, -2), rel=0, by=by)


def fused_cases():
    """Between others, which may share a kernel with them."""
    x, y = matrices(30, (6, 4, 4)), normal(31, 6, 4, 2)
    feeds, kind, to = {"a": x, "b": y}, type_of(x), type_of(y)
    each = type_of(np.zeros(6, "f"))
    body = "\n".join([
        f"%p = tfir.mul %a, %a : ({kind}, {kind}) -> {kind}",
        f"%q = tfir.add %a, %p : ({kind}, {kind}) -> {kind}",
        f"%s = tfir.matrix_solve %q, %b : ({kind}, {to}) -> {to}",
        f"%y0 = tfir.tanh %s : ({to}) -> {to}",
        f"%d = tfir.matrix_determinant %q : ({kind}) -> {each}",
        f"%y1 = tfir.neg %d : ({each}) -> {each}"])
    q = x.astype(float) ** 2 + x
    yield Case("between", graph("between", feeds, body, {"y0": to, "y1": each}),
               feeds, {"y0": Fetch(np.tanh(np.linalg.solve(q, y)).astype("f"),
                                   norm=1e-5),
                       "y1": Fetch(-np.linalg.det(q).astype("f"), norm=1e-5)})


def cases():
    return [*root_cases(), *solve_cases(), *other_cases(), *fused_cases()]


if __name__ == "__main__":
    harness.main(cases())
