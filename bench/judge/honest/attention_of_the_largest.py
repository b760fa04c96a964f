import torch


class Model(torch.nn.Module):
    """Top-k mask over attention scores, as sparse attention does."""

    def forward(self, q, k, v):
        s = q @ k.transpose(-1, -2) / q.shape[-1] ** 0.5
        least = s.topk(8, -1).values[..., -1:]
        s = s.masked_fill(s < least, float("-inf"))
        return s.softmax(-1) @ v


class ModelNew(torch.nn.Module):
    def forward(self, q, k, v):
        s = torch.bmm(q * q.shape[-1] ** -0.5, k.mT)
        top, at = s.topk(8, -1)
        p = top.softmax(-1)
        picked = v[torch.arange(v.shape[0], device=v.device)[:, None, None], at]
        return (p[..., None] * picked).sum(2)


def get_inputs():
    return [torch.randn(4, 32, 16), torch.randn(4, 40, 16), torch.randn(4, 40, 16)]


def get_init_inputs():
    return []
