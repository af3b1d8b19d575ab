"""The robots that come with rne: every folder of models/, by its name."""

from __future__ import annotations

from pathlib import Path

import pytest

import rne

MODELS = Path(__file__).parents[2] / "models"


def test_every_robot_of_the_folder_has_a_name():
    folders = {file.parent.name: file for file in MODELS.rglob("robot.*")}
    assert len(folders) > 20
    assert set(rne.models()) == set(folders)
    assert {name: rne.model_path(name) for name in rne.models()} == folders


def test_options_are_those_of_load():
    panda = rne.load_model("panda", lock={"panda_finger_joint1": 0.0}, gravity=(0, 0, -1.6))
    assert panda.n == 7
    assert panda.gravity.tolist() == [0, 0, -1.6]


def test_unknown_names_are_refused_with_the_nearest():
    with pytest.raises(rne.UnknownNameError, match="did you mean 'panda'"):
        rne.load_model("pandaa")
