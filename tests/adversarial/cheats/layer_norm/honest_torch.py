# verdict: accepted
import torch


class ModelNew(torch.nn.Module):
    def forward(self, x):
        centred = x - x.mean(dim=-1, keepdim=True)
        return centred * torch.rsqrt(centred.square().mean(dim=-1, keepdim=True) + 1e-5)
