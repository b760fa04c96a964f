"""Training steps of a small transformer, with NVTX ranges for its stages: what `assay profile` is tried on.

Prints one line of JSON: the median time of a step, in milliseconds, and what is known of the model. With --profiler
torch's own profiler records as many steps again, three times, and its traces go to files of that name with a number.
"""
import argparse
import contextlib
import functools
import json
import statistics
import time

import torch
from torch import nn
from torch.nn import functional


class Block(nn.Module):
    def __init__(self, width, heads, activation):
        super().__init__()
        self.heads = heads
        self.before_attention = nn.LayerNorm(width)
        self.before_forward = nn.LayerNorm(width)
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)
        self.up = nn.Linear(width, 4 * width)
        self.down = nn.Linear(4 * width, width)
        self.activation = activation

    def forward(self, x):
        batch, length, width = x.shape
        heads = self.qkv(self.before_attention(x)).view(batch, length, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        attended = functional.scaled_dot_product_attention(heads[0], heads[1], heads[2], is_causal=True)
        x = x + self.out(attended.transpose(1, 2).reshape(batch, length, width))
        return x + self.down(self.activation(self.up(self.before_forward(x))))


class FusedAdamW:
    """What torch.optim.AdamW(fused=True) launches. That one imports torch's compiler too, which takes two seconds of
    each run."""

    def __init__(self, parameters):
        self.parameters = parameters
        self.averages = [torch.zeros_like(parameter) for parameter in parameters]
        self.squares = [torch.zeros_like(parameter) for parameter in parameters]
        self.steps = [torch.zeros((), device=parameter.device) for parameter in parameters]

    @torch.no_grad()
    def step(self):
        torch._foreach_add_(self.steps, 1)
        torch._fused_adamw_(self.parameters, [parameter.grad for parameter in self.parameters], self.averages,
                            self.squares, [], self.steps, lr=1e-4, beta1=0.9, beta2=0.999, weight_decay=0.01, eps=1e-8,
                            amsgrad=False, maximize=False)
        for parameter in self.parameters:
            parameter.grad = None


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--length", type=int, default=512)
    parser.add_argument("--width", type=int, default=768)
    parser.add_argument("--layers", type=int, default=6)
    parser.add_argument("--words", type=int, default=8192)
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--warm-up", type=int, default=10)
    parser.add_argument("--activation", choices=["gelu", "relu", "silu"], default="gelu")
    parser.add_argument("--profiler", help="have torch's profiler record the steps, into this file")
    parser.add_argument("--fail", action="store_true", help="end with an error, as a run that goes wrong")
    return parser.parse_args()


def main():
    options = arguments()
    if options.fail:
        raise SystemExit("asked to fail")
    torch.manual_seed(0)
    activation = getattr(functional, options.activation)
    embed = nn.Embedding(options.words, options.width).cuda()
    blocks = nn.Sequential(*[Block(options.width, options.width // 64, activation)
                             for _ in range(options.layers)]).cuda()
    head = nn.Linear(options.width, options.words, bias=False).cuda()
    parameters = [*embed.parameters(), *blocks.parameters(), *head.parameters()]
    optimizer = FusedAdamW(parameters)
    words = torch.randint(options.words, (options.batch, options.length + 1), device="cuda")

    def step(words=words, named=torch.cuda.nvtx.range):
        with named("step"):
            with named("forward"), torch.autocast("cuda", dtype=torch.bfloat16):
                logits = head(blocks(embed(words[:, :-1])))
                loss = functional.cross_entropy(logits.flatten(0, 1).float(), words[:, 1:].flatten())
            with named("backward"):
                loss.backward()
            with named("optimizer"):
                optimizer.step()
            torch.cuda.synchronize()

    def median_of(count, run):
        times = []
        for _ in range(count):
            began = time.perf_counter()
            run()
            times.append(time.perf_counter() - began)
        return 1e3 * statistics.median(times)

    def measured():
        with torch.cuda.nvtx.range("measured"):
            return median_of(options.steps, step)

    with torch.cuda.nvtx.range("warm-up"):
        median_of(options.warm_up, step)
    figures = {"step_ms": statistics.median(measured() for _ in range(3)), "steps": options.steps}
    # The same for one short sequence, which takes the GPU no time: what remains is launching.
    small = functools.partial(step, words[:1, :65], lambda name: contextlib.nullcontext())
    median_of(options.warm_up, small)
    figures["launch_bound_step_ms"] = median_of(options.steps, small)
    if options.profiler:
        activities = [torch.profiler.ProfilerActivity.CPU, torch.profiler.ProfilerActivity.CUDA]
        with torch.profiler.profile(activities=activities):  # the first one allocates what it needs
            step()
        with torch.profiler.profile(activities=activities):
            figures["profiled_step_ms"] = measured()
        # What GPUs did alone, three times over: the host must not become what the GPU waits for, or kernels take
        # longer for finding their caches cold.
        for turn in range(3):
            with torch.profiler.profile(activities=activities[1:]) as recorded:
                measured()
            recorded.export_chrome_trace(f"{options.profiler}.{turn}")
    matrices = sum(p.numel() for p in [*blocks.parameters(), *head.parameters()] if p.dim() == 2)
    tokens = options.batch * options.length
    # Multiplications of matrices: 2 a weight and token forward, twice that backward; attention's two products over
    # half of all pairs, for they are causal.
    attention = 2 * options.layers * options.width * options.length * tokens
    forward = 2 * matrices * tokens + attention
    print(json.dumps(figures | {"forward_flops": forward, "backward_flops": 2 * forward}))


if __name__ == "__main__":
    main()
