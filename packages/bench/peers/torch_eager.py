"""PyTorch in eager mode, in the protocol of serve.mjs: python3 torch_eager.py THREADS

The modules are those of models.py, which makes them from the same seed.
"""
import json
import sys
import time

import torch

from models import make

LONG_SECONDS = 1.0  # as in serve.mjs: a burst has two runs at least, unless one takes longer


def burst(run, milliseconds):
    times, before, begin = [], time.process_time(), time.perf_counter()
    elapsed = lambda: time.perf_counter() - begin
    while elapsed() * 1000 < milliseconds or not times or (len(times) < 2 and elapsed() < LONG_SECONDS):
        start = time.perf_counter()
        run()
        times.append((time.perf_counter() - start) * 1000)
    return {"times": times, "cpu": (time.process_time() - before) * 1000 / len(times)}


class Server:
    """Answers requests: one model is loaded at a time."""

    def load(self, request):
        model, inputs = make(request["model"])
        self.run = lambda: model(*inputs)
        return {}

    def bench(self, request):
        return burst(self.run, request["milliseconds"])

    def output(self, request):
        self.run().numpy().tofile(request["file"])
        return {}


def main(threads):
    torch.set_num_threads(int(threads))
    server = Server()
    for line in sys.stdin:
        request = json.loads(line)
        try:
            answer = getattr(server, request["command"])(request)
        except Exception as error:  # a runtime that fails is left out, with the reason
            answer = {"skip": str(error)[:300]}
        print(f"@{json.dumps(answer)}", flush=True)


with torch.inference_mode():
    main(*sys.argv[1:])
