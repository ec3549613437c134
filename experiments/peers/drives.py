"""The two drives: set-points, springs and dampers, as wrenches at the centre of mass.

The same as the scenes `peg-in-hole` and `scenes/nut-drive.toml`; other engines get the wrench explicitly, at the start
of every step. SI units; quaternions are w, x, y, z.
"""

from dataclasses import dataclass

import numpy as np


@dataclass
class Drive:
    """A part that is led along set-points of its frame."""

    scene: str  # what `tightfit` calls it
    mass: float
    center: np.ndarray  # centre of mass in the part's frame
    moment: np.ndarray  # principal moments about the centre of mass
    stiffness: np.ndarray  # along the world's axes
    turning: np.ndarray  # about the part's axes
    force: np.ndarray  # constant, world axes
    offset: float  # of all set-points along x
    tilt: float  # of all set-points about y
    duration: float

    damping = 50.0  # 1/s, against mass and inertia
    friction = 0.1

    def path(self, time):
        """Position and angle about z of the set-point, without offset and tilt; shift and tilt that are added."""
        raise NotImplementedError

    def target(self, time):
        """Position and rotation matrix of the part's frame."""
        position, angle, shift, tilt = self.path(time)
        position = position + np.array([self.offset + shift, 0.0, 0.0])
        return position, about_y(self.tilt + tilt) @ about_z(angle)

    def wrench(self, time, position, rotation, velocity, spin):
        """Force and torque in world axes at the centre of mass.

        position, rotation: of the part's frame; velocity: of the centre of mass; spin: angular, world axes.
        """
        small = 1e-5
        (x0, r0), (x1, r1) = self.target(time), self.target(time + small)
        goal = x0 + r0 @ self.center
        goal_velocity = (x1 + r1 @ self.center - goal) / small
        goal_spin = rotation_vector(r1 @ r0.T) / small
        center = position + rotation @ self.center
        held = self.stiffness != 0.0
        push = self.stiffness * (goal - center) + self.damping * self.mass * (goal_velocity * held - velocity)
        turn = self.turning * rotation_vector(rotation.T @ r0)
        turn += self.damping * self.moment * (rotation.T @ (goal_spin - spin))
        return push + self.force, rotation @ turn


class PegDrive(Drive):
    def path(self, time):
        height = 3e-3 - 25e-3 * min(time / 2.0, 1.0)
        wave = (0.0, 0.0)
        if 2.2 <= time < 4.2:
            since = time - 2.2
            wave = (2e-3 * np.sin(2 * np.pi * since), np.radians(2.0) * np.sin(2 * np.pi * 1.3 * since))
        return np.array([0.0, 0.0, height]), 0.0, *wave


class NutDrive(Drive):
    def path(self, time):
        turns = -np.clip(time - 0.3, 0.0, 3.0)
        return np.array([0.0, 0.0, 47.8e-3]), 2 * np.pi * turns, 0.0, 0.0


PEG = PegDrive(
    scene="peg-in-hole",
    mass=0.53,
    center=np.array([0.0, 0.0, 50.03e-3]),
    moment=np.array([5.24e-4, 5.24e-4, 1.65e-4]),
    stiffness=np.full(3, 2000.0),
    turning=np.array([2.0, 2.0, 0.6]),
    force=np.zeros(3),
    offset=0.4e-3,
    tilt=np.radians(0.2),
    duration=4.2,
)
NUT = NutDrive(
    scene="scenes/nut-drive.toml",
    mass=0.6,
    center=np.zeros(3),
    moment=np.array([3.161e-4, 3.161e-4, 6.098e-4]),
    stiffness=np.array([2000.0, 2000.0, 0.0]),
    turning=np.array([1.5, 1.5, 2.5]),
    force=np.array([0.0, 0.0, -5.0]),
    offset=0.2e-3,
    tilt=np.radians(0.5),
    duration=3.3,
)
DRIVES = {"peg": PEG, "nut": NUT}


def about_y(angle):
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]])


def about_z(angle):
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])


def rotation_vector(rotation):
    """Axis times angle, angle below half a turn."""
    w, x, y, z = quaternion(rotation)
    sine = np.sqrt(x * x + y * y + z * z)
    scale = 2.0 if sine < 1e-12 else 2.0 * np.arctan2(sine, w) / sine
    return scale * np.array([x, y, z])


def quaternion(rotation):
    """w, x, y, z with w >= 0."""
    m = rotation
    candidates = np.array([1 + m[0, 0] + m[1, 1] + m[2, 2], 1 + m[0, 0] - m[1, 1] - m[2, 2],
                           1 - m[0, 0] + m[1, 1] - m[2, 2], 1 - m[0, 0] - m[1, 1] + m[2, 2]])
    k = int(np.argmax(candidates))
    s = 2.0 * np.sqrt(candidates[k])
    if k == 0:
        q = [s / 4, (m[2, 1] - m[1, 2]) / s, (m[0, 2] - m[2, 0]) / s, (m[1, 0] - m[0, 1]) / s]
    elif k == 1:
        q = [(m[2, 1] - m[1, 2]) / s, s / 4, (m[0, 1] + m[1, 0]) / s, (m[0, 2] + m[2, 0]) / s]
    elif k == 2:
        q = [(m[0, 2] - m[2, 0]) / s, (m[0, 1] + m[1, 0]) / s, s / 4, (m[1, 2] + m[2, 1]) / s]
    else:
        q = [(m[1, 0] - m[0, 1]) / s, (m[0, 2] + m[2, 0]) / s, (m[1, 2] + m[2, 1]) / s, s / 4]
    q = np.array(q)
    return q if q[0] >= 0 else -q
