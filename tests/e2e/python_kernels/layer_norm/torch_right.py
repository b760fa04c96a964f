# verdict: accepted
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, normalized_shape):
        super().__init__()
        self.ln = nn.LayerNorm(normalized_shape)
        nn.init.normal_(self.ln.weight)
        nn.init.normal_(self.ln.bias)

    def forward(self, x):
        dims = tuple(range(1, x.dim()))
        variance, mean = torch.var_mean(x, dims, correction=0, keepdim=True)
        return (x - mean) * torch.rsqrt(variance + self.ln.eps) * self.ln.weight + self.ln.bias
