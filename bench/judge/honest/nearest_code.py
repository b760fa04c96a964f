import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.book = torch.nn.Parameter(torch.randn(64, 16))

    def forward(self, x):
        d = torch.cdist(x, self.book)
        at = d.argmin(-1)
        return self.book[at], at, (self.book[at] - x).square().mean()


class ModelNew(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.book = torch.nn.Parameter(torch.randn(64, 16))

    def forward(self, x):
        d = self.book.square().sum(-1) - 2 * x @ self.book.t()
        at = d.argmin(-1)
        q = torch.nn.functional.embedding(at, self.book)
        return q, at, torch.nn.functional.mse_loss(q, x)


def get_inputs():
    return [torch.randn(50, 16)]


def get_init_inputs():
    return []
