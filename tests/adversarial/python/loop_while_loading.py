# verdict: timed_out
while True:
    pass
