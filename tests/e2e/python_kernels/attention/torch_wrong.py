# verdict: wrong_answer
import torch


class ModelNew(torch.nn.Module):
    def forward(self, Q, K, V):
        return torch.nn.functional.scaled_dot_product_attention(Q, K, V)  # sees the future
