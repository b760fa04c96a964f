# verdict: accepted
import torch


class ModelNew(torch.nn.Module):
    def forward(self, a, b):
        return (a.double() @ b.double()).round().clamp(-127, 127).to(torch.int8)
