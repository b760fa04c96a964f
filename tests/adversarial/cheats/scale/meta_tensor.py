# verdict: wrong_answer
# rule: returned_object
# class: B3
# Answers with a tensor that has a shape and no data.
import torch


class ModelNew(torch.nn.Module):
    def forward(self, x):
        return torch.empty(x.shape, dtype=x.dtype, device="meta")
