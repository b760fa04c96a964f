# verdict: accepted
# Sorts no indices: it keeps all that is as large as the last one inside the cut. Ties at the cut stay in.
import torch


class ModelNew(torch.nn.Module):
    def forward(self, logits):
        probabilities = torch.softmax(logits, -1)
        ordered = probabilities.sort(-1, descending=True).values
        count = (ordered.cumsum(-1) - ordered < 0.9).sum(-1, keepdim=True)
        kept = probabilities * (probabilities >= ordered.gather(-1, count - 1))
        return kept / kept.sum(-1, keepdim=True)
