# verdict: wrong_answer
# rule: tolerance
# class: A2
# Gives the place of the first of equal numbers for all of them.
import torch


class ModelNew(torch.nn.Module):
    def forward(self, x):
        values, places = torch.topk(x, 12, dim=-1)
        for i in range(1, 12):
            places[:, i] = torch.where(values[:, i] == values[:, i - 1], places[:, i - 1], places[:, i])
        return values, places
