import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return torch.sort(x, dim=-1)


class ModelNew(torch.nn.Module):
    """Leaves equal numbers in the opposite order."""

    def forward(self, x):
        values, places = torch.sort(x.flip(-1), dim=-1, stable=True)
        return values, x.shape[-1] - 1 - places


def get_inputs():
    return [torch.randint(0, 20, (32, 200)).float()]


def get_init_inputs():
    return []
