import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return torch.softmax(x, -1)


class ModelNew(torch.nn.Module):
    def forward(self, x):
        highest = torch.full((x.shape[0], 1), -float("inf"))
        total = torch.zeros(x.shape[0], 1)
        for part in x.split(100, -1):
            higher = torch.maximum(highest, part.amax(-1, keepdim=True))
            total = total * torch.exp(highest - higher) + torch.exp(part - higher).sum(-1, keepdim=True)
            highest = higher
        return torch.exp(x - highest) / total


def get_inputs():
    return [torch.randn(32, 500)]


def get_init_inputs():
    return []
