# verdict: accepted
import torch


class ModelNew(torch.nn.Module):
    def forward(self, x, y):
        x.copy_(torch.add(y, x, alpha=2))
