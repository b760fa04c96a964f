import torch


class Model(torch.nn.Module):
    def __init__(self, width, hidden):
        super().__init__()
        self.gru = torch.nn.GRU(width, hidden, batch_first=True)

    def forward(self, x):
        return self.gru(x)[0]


def get_inputs():
    return [torch.randn(3, 20, 12)]


def get_init_inputs():
    return [12, 16]
