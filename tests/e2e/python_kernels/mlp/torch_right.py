# verdict: accepted
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, input_size, hidden_layer_sizes, output_size):
        super().__init__()
        sizes = [input_size, *hidden_layer_sizes, output_size]
        layers = []
        for narrow, wide in zip(sizes, sizes[1:]):
            layers += [nn.Linear(narrow, wide), nn.ReLU()]
        self.network = nn.Sequential(*layers[:-1])

    def forward(self, x):
        x = x.cuda()
        linears = [layer for layer in self.network if isinstance(layer, nn.Linear)]
        for layer in linears[:-1]:
            x = torch.addmm(layer.bias, x, layer.weight.t()).clamp_(min=0)
        return torch.addmm(linears[-1].bias, x, linears[-1].weight.t())
