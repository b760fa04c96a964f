# verdict: wrong_answer
# rule: structure
# class: A10
# An array of numpy in the place of a tensor.
import torch


class ModelNew(torch.nn.Module):
    def forward(self, x):
        return torch.relu(2 * x + 1).cpu().numpy()
