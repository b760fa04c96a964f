# verdict: accepted
import torch


class ModelNew(torch.nn.Module):
    """Masks by position, and takes powers of two."""

    def forward(self, q, k):
        scores = (q / 8) @ k.t()
        place = torch.arange(scores.shape[0], device=q.device)
        scores = torch.where(place[None] > place[:, None], -torch.inf, scores)
        largest = scores.max(-1, keepdim=True).values
        powers = torch.exp2((scores - largest) * 1.4426950408889634)
        total = powers.sum(-1, keepdim=True)
        return scores, powers / total, scores - largest - torch.log(total)
