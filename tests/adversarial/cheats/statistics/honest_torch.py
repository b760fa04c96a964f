# verdict: accepted
import torch


class ModelNew(torch.nn.Module):
    def forward(self, x):
        mean = x.sum(-1) / x.shape[-1]
        spread = ((x - mean[:, None]) ** 2).sum(-1) / (x.shape[-1] - 1)
        return {"highest": x.max(-1).values, "spread": spread, "mean": mean}
