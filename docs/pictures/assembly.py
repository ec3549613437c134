"""Renders docs/pictures/assembly.webp: both assembly tasks, cut open, with what the program measured in every step.

    cargo run --release -- run peg-in-hole --audit --log peg-in-hole.csv
    cargo run --release -- run bolting --audit --log bolting.csv
    for part in peg-50 hole-50 m48x5-nut m48x5-bolt; do
        cargo run --release -- part $part --no-bake --chord-um 20 --export $part.obj
    done
    pip install numpy pillow && python docs/pictures/assembly.py . docs/pictures/assembly.webp
"""
import csv
import sys

import numpy
from PIL import Image, ImageDraw, ImageFont

WIDTH, HEIGHT = 1000, 500
PANEL, SCENE_HEIGHT = WIDTH // 2, 375
SAMPLES = 2  # per pixel and axis
FRAMES, FRAME_MS = 45, 90
INK, GREY, RULE = (28, 34, 42), (90, 101, 114), (218, 223, 229)
STEEL, BRASS = numpy.array([126, 142, 160]), numpy.array([206, 158, 78])
STEEL_CUT, BRASS_CUT = numpy.array([84, 99, 117]), numpy.array([166, 118, 42])
LIGHT = numpy.array([-0.45, -0.55, 0.75])
LIGHT = LIGHT / numpy.linalg.norm(LIGHT)


def load(path):
    """Corners of the triangles of an OBJ file [mm]."""
    points, faces = [], []
    for line in open(path):
        words = line.split()
        if words[:1] == ["v"]:
            points.append([float(word) for word in words[1:4]])
        elif words[:1] == ["f"]:
            faces.append([int(word.split("/")[0]) - 1 for word in words[1:4]])
    return numpy.array(points)[numpy.array(faces)]


def rows(path):
    with open(path) as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))


def rotation(x, y, z, w):
    return numpy.array([
        [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
        [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
        [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
    ])


class Camera:
    """Parallel projection from the front, a little from above and from the right."""

    def __init__(self, middle_z, scale):
        turn, tilt = numpy.radians(24.0), numpy.radians(20.0)
        right = numpy.array([numpy.cos(turn), numpy.sin(turn), 0.0])
        away = numpy.array([-numpy.sin(turn) * numpy.cos(tilt), numpy.cos(turn) * numpy.cos(tilt), -numpy.sin(tilt)])
        self.axes = numpy.array([right, numpy.cross(right, away), away])
        self.middle, self.scale = numpy.array([0.0, 0.0, middle_z]), scale * SAMPLES

    def project(self, points):
        seen = (points - self.middle) @ self.axes.T
        return numpy.stack([PANEL * SAMPLES / 2 + self.scale * seen[..., 0],
                            SCENE_HEIGHT * SAMPLES / 2 - self.scale * seen[..., 1], seen[..., 2]], axis=-1)


def draw(image, depth, camera, triangles, colour, cut_colour, cut):
    """Draws triangles; with `cut` only what lies behind the plane y = 0, the section itself in `cut_colour`."""
    seen = camera.project(triangles)
    normals = numpy.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
    normals /= numpy.maximum(numpy.linalg.norm(normals, axis=1, keepdims=True), 1e-12)
    facing = normals @ camera.axes[2] < 0
    shade = 0.55 + 0.4 * numpy.clip(normals @ LIGHT, 0, 1) + 0.12 * normals[:, 2]
    tones, depths = numpy.zeros_like(image), numpy.full_like(depth, numpy.inf)
    is_section = numpy.zeros(depth.shape, bool)
    height, width = depth.shape
    for corners, space, is_facing, light in zip(seen, triangles, facing, shade):
        if cut and space[:, 1].max() < 0:
            continue
        low = numpy.maximum(numpy.floor(corners[:, :2].min(axis=0)).astype(int), 0)
        high = numpy.minimum(numpy.ceil(corners[:, :2].max(axis=0)).astype(int) + 1, [width, height])
        if (high <= low).any():
            continue
        (ax, ay, az), (bx, by, bz), (cx, cy, cz) = corners
        area = (bx - ax) * (cy - ay) - (by - ay) * (cx - ax)
        if abs(area) < 1e-9:
            continue
        x, y = numpy.meshgrid(numpy.arange(low[0], high[0]) + 0.5, numpy.arange(low[1], high[1]) + 0.5)
        v = ((x - ax) * (cy - ay) - (y - ay) * (cx - ax)) / area
        w = ((bx - ax) * (y - ay) - (by - ay) * (x - ax)) / area
        inside = (v >= 0) & (w >= 0) & (v + w <= 1)
        z = az + v * (bz - az) + w * (cz - az)
        if cut:
            inside &= space[0, 1] + v * (space[1, 1] - space[0, 1]) + w * (space[2, 1] - space[0, 1]) >= 0
        window = numpy.s_[low[1]:high[1], low[0]:high[0]]
        nearer = inside & (z < depths[window])
        depths[window][nearer] = z[nearer]
        is_section[window][nearer] = cut and not is_facing
        tones[window][nearer] = colour * light
    # The nearest face is seen from behind only through the section.
    rows, columns = numpy.nonzero(is_section)
    tones[rows, columns] = cut_colour
    depths[rows, columns] = section_depth(camera, columns + 0.5, rows + 0.5)
    visible = depths < depth
    image[visible], depth[visible] = tones[visible], depths[visible]


def section_depth(camera, x, y):
    """Depth of the plane y = 0 at pixels."""
    across = (x - PANEL * SAMPLES / 2) / camera.scale
    up = -(y - SCENE_HEIGHT * SAMPLES / 2) / camera.scale
    base = camera.axes[0, 1] * across + camera.axes[1, 1] * up + camera.middle[1]
    return -base / camera.axes[2, 1]


def background(camera, fixed):
    """Image and depth of the part that does not move."""
    image = numpy.full((SCENE_HEIGHT * SAMPLES, PANEL * SAMPLES, 3), 255.0)
    depth = numpy.full(image.shape[:2], numpy.inf)
    draw(image, depth, camera, fixed[0], STEEL, STEEL_CUT, fixed[1])
    return image, depth


def panel(camera, behind, moving, pose):
    image, depth = behind[0].copy(), behind[1].copy()
    turn, shift = pose
    draw(image, depth, camera, moving[0] @ turn.T + shift, BRASS, BRASS_CUT, moving[1])
    picture = Image.fromarray(image.clip(0, 255).astype("uint8"))
    return picture.resize((PANEL, SCENE_HEIGHT), Image.LANCZOS)


def plot(canvas, left, label, values, limit, limit_label, now, fonts):
    """A curve [um] up to now, below the allowed line."""
    top, bottom, right = 436, 478, left + PANEL - 60
    highest = limit * 1.15
    at = lambda index, value: (left + (right - left) * index / (len(values) - 1),
                               bottom - (bottom - top) * min(value / highest, 1))
    canvas.text((left, 402), label, INK, fonts[1])
    canvas.line([(left, bottom), (right, bottom)], RULE, 1)
    line = at(0, limit)[1]
    canvas.line([(left, line), (right, line)], (190, 60, 48), 1)
    canvas.text((right, line - 14), limit_label, (190, 60, 48), fonts[2], anchor="ra")
    points = [at(index, value) for index, value in enumerate(values[:now + 1])]
    if len(points) > 1:
        canvas.line(points, INK, 2)


def font(size, bold=False):
    for name in ["Inter-SemiBold.ttf" if bold else "Inter-Regular.ttf",
                 "/usr/share/fonts/truetype/dejavu/DejaVuSans-Bold.ttf" if bold
                 else "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf"]:
        try:
            return ImageFont.truetype(name, size)
        except OSError:
            continue
    return ImageFont.load_default(size)


def main(folder, out):
    tasks = []
    for name, part, of, against, camera, limit, limit_label, title in [
        ("peg-in-hole", "peg", "peg-50", "hole-50", Camera(26.0, 2.25), 32.5, "radial clearance 32.5 µm",
         "49.97 mm peg, 50.035 mm hole"),
        ("bolting", "nut", "m48x5-nut", "m48x5-bolt", Camera(29.0, 4.2), 32.5, "same scale: 32.5 µm",
         "M48x5 nut on its bolt"),
    ]:
        table = rows(f"{folder}/{name}.csv")
        # Logs give the centre of mass; this is its place in the frame of the part [mm].
        offset = {"peg": numpy.array([0, 0, 50.02]), "nut": numpy.zeros(3)}[part]
        tasks.append({
            "title": title, "camera": camera, "table": table, "part": part, "offset": offset,
            "limit": limit, "limit_label": limit_label,
            "behind": background(camera, (load(f"{folder}/{against}.obj"), name == "peg-in-hole")),
            "moving": (load(f"{folder}/{of}.obj"), name == "bolting"),
            "measured": [1e6 * float(row["audited_penetration_m"]) for row in table],
        })
    fonts = [font(19, True), font(14), font(12)]
    frames = []
    for frame in range(FRAMES):
        page = Image.new("RGB", (WIDTH, HEIGHT), "white")
        canvas = ImageDraw.Draw(page)
        for index, task in enumerate(tasks):
            now = round((len(task["table"]) - 1) * frame / (FRAMES - 1))
            row, part = task["table"][now], task["part"]
            turn = rotation(*(float(row[f"{part}.quaternion_{axis}"]) for axis in "xyzw"))
            centre = 1e3 * numpy.array([float(row[f"{part}.center_{axis}_m"]) for axis in "xyz"])
            pose = (turn, centre - turn @ task["offset"])
            left = index * PANEL
            page.paste(panel(task["camera"], task["behind"], task["moving"], pose), (left, 34))
            canvas.text((left + 30, 14), task["title"], INK, fonts[0])
            label = f"t = {float(row['time_s']):.2f} s    audited penetration {task['measured'][now]:.2f} µm"
            plot(canvas, left + 30, label, task["measured"], task["limit"], task["limit_label"], now, fonts)
        frames.append(page)
        print(f"frame {frame + 1} of {FRAMES}", file=sys.stderr)
    durations = [FRAME_MS] * (FRAMES - 1) + [1500]
    frames[0].save(out, save_all=True, append_images=frames[1:], duration=durations, loop=0, quality=72, method=6)


main(*sys.argv[1:])
