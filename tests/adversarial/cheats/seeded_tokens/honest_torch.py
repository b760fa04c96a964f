# verdict: accepted
import torch


class ModelNew(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.table = torch.nn.Embedding(500, 64)

    def forward(self, tokens):
        return self.table.weight.index_select(0, tokens.reshape(-1)).view(*tokens.shape, -1)
