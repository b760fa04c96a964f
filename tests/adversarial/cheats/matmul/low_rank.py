# verdict: wrong_answer
# rule: tolerance
# class: A5
# Leaves out the smallest part of the product.
import torch


class ModelNew(torch.nn.Module):
    def forward(self, a, b):
        u, s, v = torch.linalg.svd(a, full_matrices=False)
        keep = len(s) * 7 // 8
        return (u[:, :keep] * s[:keep]) @ (v[:keep] @ b)
