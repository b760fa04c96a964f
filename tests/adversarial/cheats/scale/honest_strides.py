# verdict: accepted
# Answers with a tensor that lies in memory by columns.
import torch


class ModelNew(torch.nn.Module):
    def forward(self, x):
        return torch.relu(2 * x.t().contiguous() + 1).t()
