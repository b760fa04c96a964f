import torch


class Model(torch.nn.Module):
    def forward(self, q, k, cache):
        cache[:, 20] = k
        return torch.softmax(q[:, None] @ cache[:, :21].transpose(1, 2), -1)


class ModelNew(torch.nn.Module):
    def forward(self, q, k, cache):
        cache.select(1, 20).copy_(k)
        scores = (cache[:, :21] * q[:, None]).sum(-1)
        e = torch.exp(scores - scores.amax(-1, keepdim=True))
        return (e / e.sum(-1, keepdim=True))[:, None]


def get_inputs():
    return [torch.randn(8, 32), torch.randn(8, 32), torch.randn(8, 40, 32)]


def get_init_inputs():
    return []
