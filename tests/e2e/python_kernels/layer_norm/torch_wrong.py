# verdict: wrong_answer
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, normalized_shape):
        super().__init__()
        self.ln = nn.LayerNorm(normalized_shape)

    def forward(self, x):
        dims = tuple(range(1, x.dim()))
        mean = x.mean(dims, keepdim=True)
        # Divides by the variance, where its square root belongs.
        return (x - mean) / (x.var(dims, keepdim=True) + 1e-5) * self.ln.weight + self.ln.bias
