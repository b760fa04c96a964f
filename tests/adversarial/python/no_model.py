# verdict: did_not_compile
# says: ModelNew
import torch

answer = 42
