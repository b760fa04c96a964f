# verdict: accepted
import torch


class ModelNew(torch.nn.Module):
    def forward(self, x):
        highest = x.amax(-1, keepdim=True)
        at = torch.arange(x.shape[-1], device=x.device)
        return torch.where(x == highest, at, x.shape[-1]).amin(-1)
