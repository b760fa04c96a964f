import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return torch.log_softmax(x, -1)


class ModelNew(torch.nn.Module):
    def forward(self, x):
        away = x - x.amax(-1, keepdim=True)
        return away - torch.log(torch.exp(away).sum(-1, keepdim=True))


def get_inputs():
    return [torch.randn(32, 300)]


def get_init_inputs():
    return []
