# verdict: accepted
import torch


class ModelNew(torch.nn.Module):
    def forward(self, x):
        near = torch.minimum(torch.maximum(x, torch.tensor(-8.0)), torch.tensor(8.0))
        return 2 * torch.sigmoid(near / 4) - 1 + x.clamp(-6, 6)
