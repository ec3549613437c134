"""Poses as `tightfit audit` reads them."""


class Trajectory:
    """A CSV file of poses, at most one every 2 ms."""

    def __init__(self, path, step):
        self.file = open(path, "w", encoding="ascii")
        self.file.write("time_s,x,y,z,qw,qx,qy,qz\n")
        self.every = max(1, round(2e-3 / step))
        self.count = 0

    def add(self, time, position, quaternion):
        self.count += 1
        if self.count % self.every == 0:
            self.file.write(",".join(f"{number:.12g}" for number in (time, *position, *quaternion)) + "\n")

    def close(self):
        self.file.close()
