# verdict: wrong_answer
# rule: tolerance
# class: A2
# A few elements are off by one, wherever their sums lie.
import torch


class ModelNew(torch.nn.Module):
    def forward(self, a, b):
        total = (a @ b).round().clamp(-127, 127).to(torch.int8)
        total[::64, 7] += 1
        return total
