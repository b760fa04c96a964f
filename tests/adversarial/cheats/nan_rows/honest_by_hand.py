# verdict: accepted
import torch


class ModelNew(torch.nn.Module):
    def forward(self, x, mask):
        scores = torch.where(mask, x, -torch.inf)
        powers = torch.exp(scores - scores.amax(-1, keepdim=True))
        return powers / powers.sum(-1, keepdim=True)
