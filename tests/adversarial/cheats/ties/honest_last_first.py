# verdict: accepted
import torch


class ModelNew(torch.nn.Module):
    """Of equal numbers it takes the last one first."""

    def forward(self, x):
        values, places = torch.sort(x.flip(-1), dim=-1, descending=True, stable=True)
        return values[:, :12].contiguous(), x.shape[-1] - 1 - places[:, :12]
