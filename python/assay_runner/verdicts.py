"""What the runner may say against a kernel; the worker never hears from us that one is right."""

from __future__ import annotations

from typing import Any


class Refusal(Exception):
    """Ends a command with a verdict."""

    def __init__(self, name: str, **details: Any) -> None:
        super().__init__(name)
        self.verdict = {"verdict": name, "reason": "", "details": details}
        self._findings: list[dict[str, Any]] = []

    def with_findings(self, findings: list[dict[str, Any]]) -> Refusal:
        self._findings = findings
        return self

    def reply(self) -> dict[str, Any]:
        return {"reply": "refused", "verdict": self.verdict, "findings": self._findings}


def did_not_compile(log: str) -> Refusal:
    return Refusal("did_not_compile", log=log)


def crashed(reason: str, output: str) -> Refusal:
    return Refusal("crashed", summary=reason, output=output)


def wrong_answer(reason: str) -> Refusal:
    return Refusal("wrong_answer", summary=reason, rule="returned_object", mismatches=0, compared=0, round=0)


def non_deterministic(reason: str) -> Refusal:
    return Refusal("non_deterministic", summary=reason)


def out_of_memory(reason: str) -> Refusal:
    return Refusal("out_of_memory", summary=reason)


def unsupported(reason: str) -> Refusal:
    return Refusal("unsupported", summary=reason)


def tampered(rule: str, reason: str) -> Refusal:
    return Refusal("tampered", rule=rule, summary=reason)
