"""A drive in Drake, hydroelastic contact.

    python drake_engine.py peg|nut STEP_MS OUT.csv [MODULUS_PA]

The mesh of one part is rigid, the other is compliant: the peg, or the convex pieces of the bolt (a compliant body that is
not convex would need a mesh of tetrahedra). Discrete steps with SAP. Thread time of AdvanceTo alone.
"""

import json
import pathlib
import sys
import time
from importlib.metadata import version

import numpy as np
from pydrake.all import (
    AddCompliantHydroelasticProperties, AddContactMaterial, AddMultibodyPlant, AddRigidHydroelasticProperties, Convex,
    CoulombFriction, DiagramBuilder, ExternallyAppliedSpatialForce, InMemoryMesh, MemoryFile, Mesh, MultibodyPlantConfig,
    ProximityProperties, RigidTransform, RotationalInertia, RotationMatrix, Simulator, SpatialForce, SpatialInertia, Value,
)

from drives import DRIVES, quaternion
from pieces import PAIRS
from trajectory import Trajectory

MESHES = pathlib.Path(__file__).resolve().parent.parent.parent / "crates/tightfit/assets/benchmark"
# compliant pieces, rigid mesh; which of them moves
PARTS = {"peg": ("moving", "hole.obj"), "nut": ("fixed", "nut.obj")}
MODULUS = 1e9  # Pa
DISSIPATION = 50.0  # s/m


def as_mesh(corners):
    """Corners only: Drake takes their hull."""
    text = "".join(f"v {x:.12g} {y:.12g} {z:.12g}\n" for x, y, z in corners)
    text += "".join(f"f 1 {k} {k + 1}\n" for k in range(2, len(corners)))
    return Convex(InMemoryMesh(mesh_file=MemoryFile(text, ".obj", "piece")))


def plant_of(task, step, modulus):
    drive = DRIVES[task]
    builder = DiagramBuilder()
    config = MultibodyPlantConfig(time_step=step, contact_model="hydroelastic_with_fallback",
                                  discrete_contact_approximation="sap")
    plant, _ = AddMultibodyPlant(config, builder)
    plant.mutable_gravity_field().set_gravity_vector([0, 0, 0])
    inertia = SpatialInertia.MakeFromCentralInertia(drive.mass, drive.center, RotationalInertia(*drive.moment))
    part = plant.AddRigidBody("part", inertia)
    friction = CoulombFriction(drive.friction, drive.friction)
    compliant, mesh = PARTS[task]
    for role, body, make in (("fixed", plant.world_body(), PAIRS[task][0]), ("moving", part, PAIRS[task][1])):
        properties = ProximityProperties()
        AddContactMaterial(dissipation=DISSIPATION, friction=friction, properties=properties)
        if role == compliant:
            AddCompliantHydroelasticProperties(resolution_hint=5e-3, hydroelastic_modulus=modulus, properties=properties)
            for index, corners in enumerate(make()):
                plant.RegisterCollisionGeometry(body, RigidTransform(), as_mesh(corners), f"{role}{index}", properties)
        else:
            AddRigidHydroelasticProperties(properties)
            plant.RegisterCollisionGeometry(body, RigidTransform(), Mesh(str(MESHES / mesh)), role, properties)
    plant.Finalize()
    return plant, part, builder.Build()


def run(task, step, out, modulus):
    drive = DRIVES[task]
    plant, part, diagram = plant_of(task, step, modulus)
    simulator = Simulator(diagram)
    context = plant.GetMyMutableContextFromRoot(simulator.get_mutable_context())
    position, rotation = drive.target(0.0)
    plant.SetFreeBodyPose(context, part, RigidTransform(RotationMatrix(rotation), position))
    applied = plant.get_applied_spatial_force_input_port()
    trajectory, spent, begun = Trajectory(out, step), 0.0, time.monotonic()
    steps = round(drive.duration / step)
    for index in range(steps):
        pose = part.EvalPoseInWorld(context)
        motion = part.EvalSpatialVelocityInWorld(context)
        rotation, spin = pose.rotation().matrix(), motion.rotational()
        velocity = motion.translational() + np.cross(spin, rotation @ drive.center)
        force, torque = drive.wrench(index * step, pose.translation(), rotation, velocity, spin)
        wrench = ExternallyAppliedSpatialForce()
        wrench.body_index, wrench.p_BoBq_B = part.index(), drive.center
        wrench.F_Bq_W = SpatialForce(tau=torque, f=force)
        applied.FixValue(context, Value[list[ExternallyAppliedSpatialForce]]([wrench]))
        clock = time.thread_time()
        try:
            simulator.AdvanceTo((index + 1) * step)
        except RuntimeError:
            break
        spent += time.thread_time() - clock
        pose = part.EvalPoseInWorld(context)
        trajectory.add((index + 1) * step, pose.translation(), quaternion(pose.rotation().matrix()))
        if not np.isfinite(pose.translation()).all() or time.monotonic() - begun > 800:
            break
    trajectory.close()
    print(json.dumps({"engine": f"Drake {version('drake')}", "spent_s": spent, "steps": index + 1, "wanted": steps}))


if __name__ == "__main__":
    run(sys.argv[1], float(sys.argv[2]) * 1e-3, sys.argv[3], float(sys.argv[4]) if len(sys.argv) > 4 else MODULUS)
