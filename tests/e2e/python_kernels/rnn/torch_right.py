# verdict: accepted
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """Everything that does not depend on the state is done before the loop."""

    def __init__(self, input_size, hidden_size, output_size):
        super().__init__()
        self.split = input_size
        self.i2h = nn.Linear(input_size + hidden_size, hidden_size)
        self.h2o = nn.Linear(hidden_size, output_size)

    def forward(self, x, h0):
        of_input, of_state = self.i2h.weight.split((self.split, h0.shape[1]), dim=1)
        driven = x @ of_input.t() + self.i2h.bias
        states, state = [], h0
        for now in driven:
            state = torch.tanh(now + state @ of_state.t())
            states.append(state)
        return self.h2o(torch.stack(states)), state
