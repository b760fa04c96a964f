# verdict: wrong_answer
import torch


class ModelNew(torch.nn.Module):
    def forward(self, x):
        return {"y": 2 * x}
