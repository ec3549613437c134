"""The parts as convex pieces, for engines that know only those. Every piece is an array of corners [m]."""

import numpy as np

PEG_SIDES = 360  # chords of the peg lie 1 um inside its surface
HOLE_SECTORS = 180  # flat walls touch the bore in their middle and leave 4 um at their corners
PITCH = 5e-3
DEPTH = 5e-3 * 0.541265877365274  # of the thread, crest to root
SECTORS = 72  # pieces of a turn of thread


def ring(radius, z, count):
    angle = 2 * np.pi * np.arange(count) / count
    return np.column_stack([radius * np.cos(angle), radius * np.sin(angle), np.full(count, z)])


def peg():
    return [np.vstack([ring(23.985e-3, 0.0, PEG_SIDES), ring(24.985e-3, 1e-3, PEG_SIDES), ring(24.985e-3, 0.1, PEG_SIDES)])]


def hole():
    profile = [(25.0175e-3, -50e-3), (25.0175e-3, -1e-3), (26.0175e-3, 0.0), (38e-3, 0.0), (38e-3, -50e-3)]
    half = np.pi / HOLE_SECTORS
    return [sector(profile, profile, 2 * half * k - half, 2 * half * k + half, 1 / np.cos(half)) for k in range(HOLE_SECTORS)]


def bolt():
    """A core and pieces of the ridge, 0.2 mm inside the nut's profile; tip chamfer r <= 21.6 mm + (40 mm - z)."""
    root, crest = 24e-3 - DEPTH - 0.2e-3, 23.8e-3
    keep = [((0, 1), 40e-3), ((0, -1), 0.0), ((1, 1), 61.6e-3)]
    pieces = [np.vstack([ring(root, 0.0, SECTORS), ring(root, 40e-3, SECTORS)])]
    return pieces + ridge(inner=root, outer=crest, wide_at_inner=True, shift=-0.2e-3, low=0.0, high=40e-3, phase=0.0, keep=keep)


def nut():
    """A ring and pieces of the ridge; countersinks r >= 22.5 mm - (7.5 mm - |z|)."""
    keep = [((0, 1), 7.5e-3), ((0, -1), 7.5e-3), ((-1, 1), -15e-3), ((-1, -1), -15e-3)]
    inner = 24e-3 - DEPTH
    pieces = ridge(inner=inner, outer=24e-3, wide_at_inner=False, shift=0.0, low=-7.5e-3, high=7.5e-3, phase=0.5, keep=keep)
    body = [(24e-3, -7.5e-3), (24e-3, 7.5e-3), (37e-3, 7.5e-3), (37e-3, -7.5e-3)]
    return pieces + [sector(body, body, a, a + np.pi / 18, 1.0) for a in np.arange(36) * np.pi / 18]


def half_width(radius, shift):
    """Of the bolt-like ridge at a radius of the nominal profile moved by `shift`: P/16 at the nominal crest, 30 degrees."""
    return PITCH / 16 + (24e-3 + shift - radius) * np.tan(np.pi / 6)


def ridge(inner, outer, wide_at_inner, shift, low, high, phase, keep):
    """Pieces of a right-hand ridge whose middle is at z = P (angle/2 pi + phase + k)."""
    wide = [half_width(radius, shift) for radius in (inner, outer)]
    if not wide_at_inner:  # the nut's ridge fills what the nominal bolt's leaves
        wide = [PITCH / 2 - width for width in wide]
    pieces = []
    step = 2 * np.pi / SECTORS
    first, last = int(np.floor(low / PITCH)) - 1, int(np.ceil(high / PITCH)) + 1
    for k in range(first * SECTORS, last * SECTORS):
        ends = []
        for angle in (k * step, (k + 1) * step):
            middle = PITCH * (angle / (2 * np.pi) + phase)
            corners = [(inner, middle - wide[0]), (outer, middle - wide[1]), (outer, middle + wide[1]), (inner, middle + wide[0])]
            for normal, bound in keep:
                corners = clip(corners, normal, bound)
            ends.append(corners)
        if len(ends[0]) + len(ends[1]) >= 4:
            piece = sector(*ends, k * step, (k + 1) * step, 1.0)
            if np.linalg.matrix_rank(piece - piece[0], tol=1e-5) == 3:
                pieces.append(piece)
    return pieces


def sector(start, end, from_angle, to_angle, stretch):
    """Hull of two sections (r, z) at two angles."""
    points = [(r * stretch * np.cos(a), r * stretch * np.sin(a), z)
              for section, a in ((start, from_angle), (end, to_angle)) for r, z in section]
    return np.array(points)


def clip(polygon, normal, bound):
    """The part of a polygon where normal . p <= bound."""
    kept = []
    for (a, b) in zip(polygon, polygon[1:] + polygon[:1]):
        da, db = (normal[0] * p[0] + normal[1] * p[1] - bound for p in (a, b))
        if da <= 0:
            kept.append(a)
        if (da < 0 < db) or (db < 0 < da):
            t = da / (da - db)
            kept.append((a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1])))
    return kept


PAIRS = {"peg": (hole, peg), "nut": (bolt, nut)}
