"""What people are told when their kernel did not pass: which thing is wrong, and what to do."""
from support import kernels, python_kernels


def reason(server, body, verdict):
    job = server.run({"num_trials": 1, "rounds": 1, **body})
    assert job["verdict"] == verdict, job
    return job["result"]["reason"]


def test_input_changed_in_place_is_named_with_the_ways_out(server):
    source = kernels.SCALE.replace("{", "{ const_cast<float*>(x)[threadIdx.x] = 0;", 1)
    said = reason(server, kernels.evaluate(source), "tampered")
    assert "changed its input 'x' in place" in said and "role inout" in said


def test_only_output_of_a_model_needs_no_name(server):
    source = python_kernels.ADD_ONE.replace("x + 1", "(x + 1)[:-1]")
    job = server.run({"reference": python_kernels.code(python_kernels.ADD_ONE.replace("ModelNew", "Model"), "torch"),
                      "candidate": python_kernels.code(source, "torch"), "num_trials": 1})
    assert job["result"]["reason"] == "Shape mismatch: ref=[64], custom=[63]"


def test_answer_without_return_is_asked_for_it(server):
    source = python_kernels.ADD_ONE.replace("return x + 1", "x + 1")
    body = {"reference": python_kernels.code(python_kernels.ADD_ONE.replace("ModelNew", "Model"), "torch"),
            "candidate": python_kernels.code(source, "torch")}
    assert reason(server, body, "wrong_answer") == ("Structure mismatch: ref=tensor, custom=None. "
                                                    "The candidate returned nothing: does it end with `return`?")


def test_long_list_instead_of_a_tensor_is_told_by_its_beginning(server):
    source = python_kernels.ADD_ONE.replace("x + 1", "(x + 1).tolist()")
    body = {"reference": python_kernels.code(python_kernels.ADD_ONE.replace("ModelNew", "Model"), "torch"),
            "candidate": python_kernels.code(source, "torch")}
    said = reason(server, body, "wrong_answer")
    assert said.startswith("Structure mismatch: ref=tensor, custom=(float, float") and said.endswith("...")
    assert len(said) < 300


def test_array_that_is_too_small_points_to_the_contract(server):
    io = kernels.scale_io(1000)
    io["args"][1]["tensor_spec"]["shape"] = [990]
    said = reason(server, kernels.evaluate(kernels.SCALE, io), "crashed")
    assert "of 'y', which has 3960 bytes" in said
    assert "its contract does not fit it: look at the shape of 'y'" in said


def test_inputs_defined_as_a_method_are_asked_for_as_a_function(server):
    source = """
import torch
class Model(torch.nn.Module):
    def forward(self, x):
        return x + 1
    def get_inputs(self):
        return [torch.randn(4)]
"""
    said = reason(server, {"kernel": python_kernels.code(source, "torch")}, "did_not_compile")
    assert "get_inputs()" in said and "not as a method of the model" in said


def test_answer_of_a_lower_precision_is_told_what_to_allow(server):
    rounded = "#include <cuda_fp16.h>\n" + kernels.SCALE.replace("a * x[i]", "__half2float(__float2half(a * x[i]))")
    assert rounded.count("__half2float") == 1
    body = kernels.compare(candidate=rounded)
    assert "--allow tf32" in reason(server, body, "wrong_answer")
    assert server.run({**body, "num_trials": 1, "allow": ["tf32"]})["verdict"] == "accepted"


def test_speed_on_the_cpu_device_is_judged_only_when_asked_for(server):
    kernel = kernels.compare(num_trials=10)
    job = server.run(kernel)
    assert job["result"]["speed"]["verdict"] == "not_judged"
    judged = server.run({**kernel, "judge_speed": True})
    assert judged["result"]["speed"]["verdict"] in ("faster", "slower", "same", "undecided")
