# verdict: wrong_answer
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, input_size, hidden_layer_sizes, output_size):
        super().__init__()
        sizes = [input_size, *hidden_layer_sizes, output_size]
        layers = []
        for narrow, wide in zip(sizes, sizes[1:]):
            layers += [nn.Linear(narrow, wide), nn.ReLU()]
        self.network = nn.Sequential(*layers)  # nothing negative leaves the last layer either

    def forward(self, x):
        return self.network(x)
