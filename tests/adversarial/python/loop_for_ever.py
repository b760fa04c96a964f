# verdict: timed_out
import torch


class ModelNew(torch.nn.Module):
    def forward(self, x):
        while True:
            x = x + 1
