import torch


class Model(torch.nn.Module):
    def __init__(self, entries, width):
        super().__init__()
        self.table = torch.nn.Embedding(entries, width)

    def forward(self, at):
        return self.table(at).sum(1)


def get_inputs():
    return [torch.randint(0, 300, (32, 10))]


def get_init_inputs():
    return [300, 24]
