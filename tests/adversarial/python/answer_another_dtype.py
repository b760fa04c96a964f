# verdict: wrong_answer
import torch


class ModelNew(torch.nn.Module):
    def forward(self, x):
        return (2 * x).half()
