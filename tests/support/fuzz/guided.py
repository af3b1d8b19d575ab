"""Fuzzing guided by coverage: `PYTHONPATH=tests/support python -m fuzz.guided urdf CORPUS_FOLDER -max_total_time=600`.

Needs atheris. What it finds is cut to the smallest file by hand or by `-minimize_crash=1`, and kept in
`tests/fuzz/corpus/`.
"""

from __future__ import annotations

if __name__ == "__main__":  # the tests, which read this page, need no atheris
    import sys

    import atheris

    with atheris.instrument_imports(include=["rne.read", "rne.model"]):
        pass

    from fuzz.mutations import dh, urdf
    from fuzz.trial import attempt

    source, suffix = {"urdf": (urdf, ".urdf"), "dh": (dh, ".dh.toml")}[sys.argv.pop(1)]
    attempt(source(0).encode(), suffix)
    atheris.Setup(sys.argv, lambda data: attempt(data, suffix))
    atheris.Fuzz()
