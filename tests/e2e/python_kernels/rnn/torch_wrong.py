# verdict: wrong_answer
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, input_size, hidden_size, output_size):
        super().__init__()
        self.i2h = nn.Linear(input_size + hidden_size, hidden_size)
        self.h2o = nn.Linear(hidden_size, output_size)

    def forward(self, x, h0):
        state, outputs = h0, []
        for now in x:
            state = torch.tanh(self.i2h(torch.cat((now, state), 1)))
            outputs.append(self.h2o(state))
        return torch.stack(outputs)  # the last state is missing
