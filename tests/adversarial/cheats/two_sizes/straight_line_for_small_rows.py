# verdict: wrong_answer
# rule: small_rows
# class: A5
# Computes something else in rows that are smaller than the tolerance of the whole.
import torch


class ModelNew(torch.nn.Module):
    def forward(self, x):
        return torch.cat([torch.tanh(x[:100]), x[100:] * 1e-6])
