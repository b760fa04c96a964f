import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return x / x.norm(dim=-1, keepdim=True)


class ModelNew(torch.nn.Module):
    def forward(self, x):
        return x * torch.rsqrt((x * x).sum(-1, keepdim=True))


def get_inputs():
    return [torch.randn(64, 300)]


def get_init_inputs():
    return []
