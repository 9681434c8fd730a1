# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The losses of the networks of networks.py by PyTorch, from the same weights and examples.

  torch_losses.py REPOSITORY    writes losses.json; needs torch, numpy, and graphc on the path
"""
import ast
import json
import sys

import networks
import torch
import torch.nn.functional as F


def layer_norm(x, w, name, epsilon):
    return F.layer_norm(x, x.shape[-1:], w[name + "/g"], w[name + "/b"], epsilon)


def dense(x, w, name):
    return x @ w[name + "/w"] + w[name + "/b"]


def heads_of(x, count):
    batch, length, width = x.shape
    return x.reshape(batch, length, count, width // count).transpose(1, 2)


def joined(x):
    return x.transpose(1, 2).flatten(2)


def gpt2(w, feeds, d):
    x = F.embedding(feeds["tokens"].long(), w["wte"]) + w["wpe"]
    for i in range(d["layers"]):
        h = f"h{i}"
        qkv = dense(layer_norm(x, w, h + "/ln_1", 1e-5), w, h + "/attn/c_attn")
        q, k, v = (heads_of(part, d["heads"]) for part in qkv.chunk(3, -1))
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + dense(joined(y), w, h + "/attn/c_proj")
        y = F.gelu(dense(layer_norm(x, w, h + "/ln_2", 1e-5), w, h + "/mlp/c_fc"),
                   approximate="tanh")
        x = x + dense(y, w, h + "/mlp/c_proj")
    logits = layer_norm(x, w, "ln_f", 1e-5) @ w["wte"].T
    return F.cross_entropy(logits.flatten(0, 1), feeds["targets"].long().flatten())


def bert(w, feeds, d):
    x = F.embedding(feeds["tokens"].long(), w["words"]) + w["positions"]
    x = layer_norm(x, w, "embedding_norm", 1e-12)
    for i in range(d["layers"]):
        h = f"layer{i}"
        q, k, v = (heads_of(dense(x, w, f"{h}/{part}"), d["heads"]) for part in "qkv")
        y = F.scaled_dot_product_attention(q, k, v, attn_mask=feeds["mask"])
        x = layer_norm(x + dense(joined(y), w, h + "/output"), w, h + "/attention_norm",
                       1e-12)
        y = F.gelu(dense(x, w, h + "/intermediate"))
        x = layer_norm(x + dense(y, w, h + "/final"), w, h + "/final_norm", 1e-12)
    logits = x.flatten(0, 1) @ w["words"].T + w["output_bias"]
    losses = F.cross_entropy(logits, feeds["labels"].long().flatten(), reduction="none")
    chosen = feeds["weights"].flatten()
    return (losses * chosen).sum() / chosen.sum()


def lstm(w, feeds, d):
    x = F.embedding(feeds["words"].long(), w["embedding"])
    for i in range(d["layers"]):
        h = c = torch.zeros_like(x[:, 0])
        rows = []
        for t in range(d["steps"]):
            gates = torch.cat([x[:, t], h], 1) @ w[f"kernel_{i}"] + w[f"bias_{i}"]
            a, j, f, o = gates.chunk(4, 1)
            c = torch.sigmoid(f + 1) * c + torch.sigmoid(a) * torch.tanh(j)
            h = torch.sigmoid(o) * torch.tanh(c)
            rows.append(h)
        x = torch.stack(rows, 1)
    logits = x.flatten(0, 1) @ w["softmax_w"] + w["softmax_b"]
    return F.cross_entropy(logits, feeds["targets"].long().flatten())


def word2vec(w, feeds, d):
    words, labels, sampled = (feeds[k].long() for k in ("words", "labels", "sampled"))
    x = w["embeddings"][words]
    near = (x * w["weights"][labels]).sum(1) + w["biases"][labels]
    far = x @ w["weights"][sampled].T + w["biases"][sampled]
    return (F.softplus(-near) + F.softplus(far).sum(1)).mean()


def batch_norm(x, w, name):
    return F.batch_norm(x, None, None, w[name + "/gamma"], w[name + "/beta"], True, 0.1, 1e-5)


def conv(x, w, name, step):
    kernel = w[name + "/w"].permute(3, 2, 0, 1)
    return F.conv2d(x, kernel, stride=step, padding=kernel.shape[-1] // 2)


def classified(x, w, feeds):
    logits = x.mean((2, 3)) @ w["w"] + w["b"]
    return F.cross_entropy(logits, feeds["labels"].long())


def resnet50(w, feeds, d):
    def unit(x, name, step=1):
        return batch_norm(conv(x, w, name + "/conv", step), w, name + "/bn")

    x = F.relu(unit(feeds["images"].permute(0, 3, 1, 2), "stem", 2))
    x = F.max_pool2d(x, 3, 2, 1)
    for stage, count in enumerate(ast.literal_eval(d["blocks"])):
        for number in range(count):
            name = f"stage{stage}/block{number}"
            step = 2 if number == 0 and stage > 0 else 1
            y = F.relu(unit(x, name + "/a"))
            y = F.relu(unit(y, name + "/b", step))
            y = unit(y, name + "/c")
            short = unit(x, name + "/shortcut", step) if number == 0 else x
            x = F.relu(y + short)
    return classified(x, w, feeds)


def mobilenet(w, feeds, d):
    def unit(x, name, step=1):
        return batch_norm(conv(x, w, name, step), w, name + "/bn")

    x = F.relu6(unit(feeds["images"].permute(0, 3, 1, 2), "stem", 2))
    for stage, (expansion, out, count, stride) in enumerate(ast.literal_eval(d["table"])):
        for number in range(count):
            name = f"stage{stage}/block{number}"
            step = stride if number == 0 else 1
            y = F.relu6(unit(x, name + "/expand")) if expansion > 1 else x
            kernel = w[name + "/depthwise/w"].permute(2, 3, 0, 1)
            y = F.conv2d(y, kernel, stride=step, padding=1, groups=y.shape[1])
            y = F.relu6(batch_norm(y, w, name + "/depthwise/bn"))
            y = unit(y, name + "/project")
            x = x + y if step == 1 and x.shape[1] == out else y
    return classified(F.relu6(unit(x, "last")), w, feeds)


def main(repository):
    torch.set_default_dtype(torch.float64)
    functions = {"gpt2": gpt2, "bert": bert, "lstm": lstm, "word2vec": word2vec,
                 "resnet50": resnet50, "mobilenet-v2": mobilenet}
    result = {}
    for name, function in functions.items():
        d = networks.NETWORKS[name]["defines"]
        w = {key: torch.tensor(networks.weight(key, shape), dtype=torch.float64,
                               requires_grad=True)
             for key, shape in networks.variables(repository, name).items()}
        feeds = {key: torch.tensor(value) for key, value in networks.feeds(name).items()}
        feeds = {key: value.double() if value.is_floating_point() else value
                 for key, value in feeds.items()}
        if name == "bert":
            optimizer = torch.optim.Adam(w.values(), d["rate"], eps=1e-8)
        else:
            momentum = 0.9 if name in ("resnet50", "mobilenet-v2") else 0
            optimizer = torch.optim.SGD(w.values(), d["rate"], momentum)
        result[name] = []
        for _ in range(networks.STEPS):
            optimizer.zero_grad()
            loss = function(w, feeds, d)
            loss.backward()
            if name == "lstm":
                torch.nn.utils.clip_grad_norm_(w.values(), 5.0)
            optimizer.step()
            result[name].append(loss.item())
        print(name, result[name][0], result[name][-1])
    with open(f"{repository}/test/networks/losses.json", "w", encoding="utf-8") as file:
        json.dump(result, file, indent=1)
        file.write("\n")


if __name__ == "__main__":
    main(sys.argv[1])
