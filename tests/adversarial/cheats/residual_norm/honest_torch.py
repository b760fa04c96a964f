# verdict: accepted
import torch


class ModelNew(torch.nn.Module):
    def forward(self, x, update):
        torch.add(x, update, out=x)
        return x / torch.sqrt((x * x).sum(-1, keepdim=True) / x.shape[-1] + 1e-6)
