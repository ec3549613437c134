"""Scenes, simulations, parts and logs."""

import pickle
import threading

import numpy as np
import pytest

import tightfit


def test_a_simulation_has_the_bits_of_its_branch_and_of_its_snapshot():
    sim = tightfit.Simulation("peg-in-hole")
    sim.step(60)
    branch, snapshot = sim.branch(), sim.snapshot()
    sim.step(20)
    branch.step(20)
    assert sim.hash == branch.hash
    sim.restore(pickle.loads(pickle.dumps(snapshot)))
    sim.step(20)
    assert sim.hash == branch.hash


def test_arrays_are_copies_and_have_the_documented_shapes():
    sim = tightfit.Simulation("peg-in-hole")
    certificate = sim.step(100)
    assert certificate.converged and certificate.penetration < 1e-6 and certificate.limits == []
    assert sim.audit() < 1e-6
    contacts = sim.contacts()
    count = len(contacts["gap"])
    assert count > 0 and contacts["position"].shape == (count, 3) and contacts["force"].shape == (count, 3)
    np.testing.assert_allclose(np.linalg.norm(contacts["normal"], axis=1), 1.0)
    before, quaternion = sim.pose("peg")
    kept = before.copy()
    sim.step()
    np.testing.assert_array_equal(before, kept)
    assert quaternion.shape == (4,)
    on_peg, _ = sim.wrench("peg", by="hole")
    on_hole, _ = sim.wrench("hole", by="peg")
    np.testing.assert_allclose(on_peg, -on_hole)


def test_a_run_is_judged_logged_and_shown(tmp_path):
    sim = tightfit.Simulation("peg-in-hole", audit=True)
    outcome = sim.run()
    assert outcome["completed"] and outcome["depth"] > 0.02
    assert sim.assessment["grade"] == "certified"
    path = tmp_path / "run.parquet"
    sim.write_log(path)
    assert tightfit.replay_log(path)
    log, own = tightfit.read_log(path), sim.log()
    assert list(log) == list(own)
    assert all(np.array_equal(log[name], own[name], equal_nan=True) for name in log)
    page = sim.show(tmp_path / "run.html", open_browser=False).read_text()
    assert "peg-in-hole" in page and "<iframe" in sim._repr_html_()


def test_a_run_becomes_an_mcap_file(tmp_path):
    sim = tightfit.Simulation("peg-in-hole")
    sim.step(30)
    path = tmp_path / "run.mcap"
    sim.write_mcap(path)
    content = path.read_bytes()
    assert content[:8] == content[-8:] == b"\x89MCAP0\r\n" and list(tmp_path.iterdir()) == [path]
    counts: dict[int, int] = {}
    at = 8
    while at < len(content) - 8:
        counts[content[at]] = counts.get(content[at], 0) + 1
        at += 9 + int.from_bytes(content[at + 1 : at + 9], "little")
    # four topics; the parts once, three messages at the start and after every step
    assert counts[0x03] == counts[0x04] == 4 and counts[0x05] == 1 + 3 * 31
    with pytest.raises(tightfit.LogError, match="no-such-folder"):
        sim.write_mcap(tmp_path / "no-such-folder" / "run.mcap")


def test_guide_moves_the_set_point():
    sim = tightfit.Simulation("peg-in-hole")
    for _ in range(100):
        sim.guide("peg", [1e-3, 0.0, 5e-3])
        sim.step()
    position, _ = sim.pose("peg")
    np.testing.assert_allclose(position, [1e-3, 0.0, 5e-3], atol=1e-6)


def test_a_builder_makes_the_scene_of_a_file():
    scene = (
        tightfit.SceneBuilder("fit", gravity_m_s2=[0, 0, -9.81])
        .part("hole", {"kind": "preset", "name": "hole-50"}, motion="fixed")
        .part("peg", {"kind": "preset", "name": "peg-50"}, mass_kg=0.53, position_mm=[0, 0, 3])
        .build()
    )
    assert scene.bodies == ["hole", "peg"] and scene.free_bodies == ["peg"]
    again = pickle.loads(pickle.dumps(scene))
    first, second = tightfit.Simulation(scene), tightfit.Simulation(again)
    first.step(20)
    second.step(20)
    assert first.hash == second.hash
    assert tightfit.Scene.find("bolting", set={"friction": 0.3}).name == "bolting"


def test_errors_are_exceptions_with_the_programs_text():
    with pytest.raises(tightfit.SceneError, match="diameter_mm = -3"):
        tightfit.Scene('name = "x"\n[parts.a]\nshape = { kind = "sphere", diameter_mm = -3 }\n')
    with pytest.raises(tightfit.SceneError, match="no-such-scene"):
        tightfit.Simulation("no-such-scene")
    sim = tightfit.Simulation("peg-in-hole", record=False)
    with pytest.raises(tightfit.SceneError, match="peg"):
        sim.pose("pig")
    with pytest.raises(ValueError, match="length 1"):
        sim.guide("peg", [0, 0, 0], [0, 0, 0, 0])
    with pytest.raises(tightfit.TightfitError, match="record=False"):
        sim.log()
    with pytest.raises(TypeError, match="snapshot"):
        pickle.dumps(sim)
    with pytest.raises(tightfit.LogError):
        tightfit.read_log("nothing.parquet")
    with pytest.raises(OverflowError):
        sim.step(-1)
    with pytest.raises(tightfit.TightfitError, match="another scene"):
        sim.restore(tightfit.Simulation("balls-on-slab").snapshot())


def test_two_simulations_in_two_threads_do_not_disturb_each_other():
    alone = tightfit.Simulation("bolting", record=False)
    alone.step(60)
    both = [tightfit.Simulation("bolting", record=False) for _ in range(2)]
    threads = [threading.Thread(target=sim.step, args=(60,)) for sim in both]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {sim.hash for sim in both} == {alone.hash}


def test_parts_have_distances_meshes_and_a_doctor(tmp_path):
    part = tightfit.Part("hole-50")
    distance, normal = part.distance(np.array([[0.0251175 - 0.0000900, 0.0, -0.02]]))
    np.testing.assert_allclose(distance, [-10e-6], atol=1e-12)
    np.testing.assert_allclose(normal, [[-1.0, 0.0, 0.0]], atol=1e-12)
    part.save(tmp_path / "hole.stl")
    loaded = tightfit.Part.load(tmp_path / "hole.stl", unit="mm")
    assert loaded.triangles.shape == part.triangles.shape
    facts = loaded.examine(clearance_mm=0.065)["facts"]
    assert facts["closed"] and facts["mass"]["mass_kg"] > 0
    broken = tightfit.Part.from_arrays(part.vertices, part.triangles[1:])
    assert any(finding["kind"] == "boundary_edges" for finding in broken.examine()["findings"])
    with pytest.raises(tightfit.PartError):
        broken.distance(np.zeros((1, 3)))
    repaired, steps = broken.repair()
    assert steps and not any(f["kind"] == "boundary_edges" for f in repaired.examine()["findings"])
    with pytest.raises(ValueError, match="columns"):
        part.distance(np.zeros((4, 2)))
    with pytest.raises(TypeError):
        part.distance(np.zeros((4, 3), np.float32))


def test_presets_are_compared():
    tight, standard = tightfit.compare("peg-in-hole", ["tight", "standard"], seconds=0.5)
    assert tight["force_difference"] == 0.0 and tight["audited"] < 1e-6
    assert standard["preset"] == "standard"
    with pytest.raises(ValueError, match="presets: tight"):
        tightfit.compare("peg-in-hole", ["best"])
