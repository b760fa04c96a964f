# verdict: out_of_memory
import torch


class ModelNew(torch.nn.Module):
    def forward(self, x):
        kept = []
        while True:
            kept.append(bytearray(16 << 20))
