import torch


class Model(torch.nn.Module):
    """Adds to its first input in place, as transformers do, and returns the norm of the sum."""

    def forward(self, x, update):
        x.add_(update)
        return x * torch.rsqrt(x.square().mean(-1, keepdim=True) + 1e-6)


def get_inputs():
    return [torch.randn(48, 160), torch.randn(48, 160)]


def get_init_inputs():
    return []
