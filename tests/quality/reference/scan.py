# SPDX-License-Identifier: LGPL-2.1-or-later
"""float64 reference of octscangen: patterns, joins at the limits of the scanner, and the
stream of samples (docs/scanning.md).

Positions are [samples][axes] in mm, times in s.  Limits are (amplitude, velocity,
acceleration), arrays [axes].  A segment is what is taken in one go, a B-scan or a whole
curve: its points, of which all are active.
"""
import numpy as np

PI = np.pi


def limits(amplitude=5.0, velocity=1e4, acceleration=5e6):
    return tuple(np.full(2, float(value)) for value in (amplitude, velocity, acceleration))


# ------------------------------------------------------- joins, in closed form

def min_time(d, v0, v1, a, v):
    """Least time over which a double integrator moves by d from velocity v0 to v1."""
    s = 1.0 if d >= (v0 + v1) / 2 * abs(v1 - v0) / a else -1.0
    d, v0, v1 = s * d, s * v0, s * v1
    peak = np.sqrt(max(a * d + (v0 * v0 + v1 * v1) / 2, 0.0))
    if peak <= v:
        return (2 * peak - v0 - v1) / a
    return (2 * v - v0 - v1) / a + (d - (2 * v * v - v0 * v0 - v1 * v1) / (2 * a)) / v


def extreme(time, v0, v1, a, v, s):
    """The farthest in direction s (1 or -1): (ends of the ramps, peak velocity, distance)."""
    u0, u1 = s * v0, s * v1
    peak = min(v, (u0 + u1 + a * time) / 2)
    t1, t3 = (peak - u0) / a, (peak - u1) / a
    distance = (peak * peak - u0 * u0) / (2 * a) + peak * (time - t1 - t3) + (peak * peak - u1 * u1) / (2 * a)
    return t1, time - t3, s * peak, s * distance


def extreme_at(t, time, v0, v1, a, v, s):
    t1, t2, peak, d = extreme(time, v0, v1, a, v, s)
    a, u = s * a, time - t
    return np.where(t < t1, v0 * t + a * t * t / 2,
                    np.where(t <= t2, (peak * peak - v0 * v0) / (2 * a) + peak * (t - t1), d - v1 * u - a * u * u / 2))


def feasible(time, d, v0, v1, a, v, eps=1e-9):
    """Whether the move can take exactly this time: its reach is an interval."""
    if time * a < abs(v1 - v0) * (1 - eps):
        return False
    low, high = (extreme(time, v0, v1, a, v, s)[3] for s in (-1, 1))
    tolerance = eps * (abs(low) + abs(high) + abs(d))
    return low - tolerance <= d <= high + tolerance


def join(start, end, lim, dt):
    """Samples between two states (position, velocity), neither of them included: the fewest
    with which both axes arrive together.  Each axis is the mean, weighted so that it arrives,
    of its two extreme profiles: both keep the limits, so does it."""
    (p0, v0), (p1, v1) = start, end
    _, v, a = lim
    d = p1 - p0
    axes = range(len(d))
    time = max(min_time(d[c], v0[c], v1[c], a[c], v[c]) for c in axes)
    n = max(1, int(np.ceil(time / dt - 1e-6)))
    while not all(feasible(n * dt, d[c], v0[c], v1[c], a[c], v[c]) for c in axes):
        n += 1
    t = np.arange(1, n) * dt
    out = np.empty((n - 1, len(d)))
    for c in axes:
        profile = (n * dt, v0[c], v1[c], a[c], v[c])
        low, high = (extreme(*profile, s)[3] for s in (-1, 1))
        w = 0.5 if high - low <= 1e-15 * (abs(high) + abs(low)) + 1e-300 else min(1.0, max(0.0, (d[c] - low) / (high - low)))
        out[:, c] = p0[c] + (1 - w) * extreme_at(t, *profile, -1) + w * extreme_at(t, *profile, 1)
    return out


# ---------------------------------------------------------------- patterns

def centres(n):
    """-1/2 .. 1/2 in n pixels, their middles."""
    return (np.arange(n) + 0.5) / n - 0.5


def turn(p, angle=0.0, offset=(0.0, 0.0)):
    c, s = np.cos(angle), np.sin(angle)
    return p @ np.array([[c, s], [-s, c]]) + np.asarray(offset, float)


def sweeps(lines, repeats=1, group=1, bidirectional=False):
    """lines: [B-scans][n][axes].  The direction belongs to the B-scan, so that all repeats of
    a place run the same way."""
    out = []
    for g in range(0, len(lines), group):
        for _ in range(repeats):
            for b in range(g, min(g + group, len(lines))):
                out.append(lines[b][::-1] if bidirectional and b & 1 else lines[b])
    return out


def raster(n, bscans, width, height):
    x, y = np.meshgrid(width * centres(n), height * centres(bscans))
    return np.stack([x, y], -1)


def radial(n, bscans, diameter):
    a = PI * np.arange(bscans) / bscans
    r = diameter * centres(n)
    return np.stack([r * np.cos(a)[:, None], r * np.sin(a)[:, None]], -1)


SPIRAL_MARGIN = 0.9634          # 1 / sqrt (1 + (max of theta (4 + theta^2) / (2 + theta^2)^2 / 2)^2)


def spiral(radius, pitch, dt, acceleration, lines):
    """Constant linear velocity pitch / dt, near the middle as fast as the acceleration lets it.
    The number of samples is made a multiple of `lines` by a pitch a little smaller."""
    speed, n = pitch / dt, None
    for _ in range(30):
        b = pitch / (2 * PI)
        theta = radius / b * np.linspace(0, 1, 1 + max(2000, int(64 * radius / pitch))) ** 2
        q = 1 + theta * theta
        u = np.sqrt(np.minimum(speed ** 2, SPIRAL_MARGIN * acceleration * b * q ** 1.5 / (1 + q)))
        rate = u / (b * np.sqrt(q))
        t = np.concatenate([[0], np.cumsum((1 / rate[1:] + 1 / rate[:-1]) / 2 * np.diff(theta))])
        if n is None:
            n = int(np.ceil(t[-1] / dt / lines - 1e-9)) * lines
        f = t[-1] / (n * dt)
        if abs(f - 1) < 1e-13:
            break
        pitch *= f
    tau = (np.arange(n) + 0.5) * t[-1] / n
    i = np.clip(np.searchsorted(t, tau) - 1, 0, len(t) - 2)           # cubic Hermite of theta (t)
    h = t[i + 1] - t[i]
    w = (tau - t[i]) / h
    at = ((1 + 2 * w) * (1 - w) ** 2 * theta[i] + w * (1 - w) ** 2 * h * rate[i]
          + w * w * (3 - 2 * w) * theta[i + 1] + w * w * (w - 1) * h * rate[i + 1])
    return b * at[:, None] * np.stack([np.cos(at), np.sin(at)], -1)


def spiral_angular(radius, turns, n):
    m = np.arange(turns * n) + 0.5
    r, a = radius * m / (turns * n), 2 * PI * m / n
    return np.stack([r * np.cos(a), r * np.sin(a)], -1)


def default_cycles(n):
    q = int(round(0.45 * np.sqrt(n)))
    return max(2, q + (q & 1))


def lissajous(n, q, width, height):
    t = 2 * PI * (np.arange(n) + 0.5) / n
    return np.stack([width / 2 * np.sin(q * t), height / 2 * np.sin((q + 1) * t)], -1)


def rosette(n, q, diameter):
    t = 2 * PI * (np.arange(n) + 0.5) / n
    r = diameter / 2 * np.cos(q * t)
    return np.stack([r * np.cos((q + 1) * t), r * np.sin((q + 1) * t)], -1)


# ---------------------------------------------------------------- the stream

def ends(p, dt, before=0, after=0):
    """States at the ends of a segment, with `before` and `after` samples of constant velocity."""
    v0, v1 = (p[1] - p[0]) / dt, (p[-1] - p[-2]) / dt
    return (p[0] - v0 * dt * before, v0), (p[-1] + v1 * dt * after, v1)


def stream(segments, lim, dt, volumes=1, closed=False, settle=0, smooth=1):
    """From rest in the middle through as many volumes and back: (positions, active)."""
    rest = (np.zeros(2), np.zeros(2))
    half = smooth // 2
    before, after = (0, 0) if closed else (settle + half, half)
    p, active = [np.zeros((1, 2))], [np.zeros(1, bool)]

    def add(q, taken=False):
        p.append(q)
        active.append(np.full(len(q), taken))
    state = rest
    for volume in range(volumes):
        for q in segments:
            (p0, v0), (p1, v1) = ends(q, dt, before, after)
            if volume == 0 or not closed:
                add(join(state, (p0, v0), lim, dt))
            add(p0 + v0 * dt * np.arange(before)[:, None])
            add(q, True)
            add(q[-1] + v1 * dt * np.arange(1, after + 1)[:, None])
            state = (p1, v1)
    add(join(state, rest, lim, dt))
    add(np.zeros((1, 2)))
    return np.concatenate(p), np.concatenate(active)


def smoothed(p, n):
    """Mean over n samples, an odd number, centred; at rest at both ends."""
    kernel = np.ones(n) / n
    q = np.concatenate([np.zeros((n // 2, 2)), p, np.zeros((n // 2, 2))])
    return np.stack([np.convolve(q[:, c], kernel, "valid") for c in (0, 1)], -1)


def ahead(p, samples):
    """p at a later time, per axis, linear between samples; at rest at both ends."""
    at = np.arange(len(p))
    return np.stack([np.interp(at + samples[c], at, p[:, c]) for c in (0, 1)], -1)


def inverse(p, dt, frequency, damping):
    """The input with which a scanner of second order is at p."""
    w = 2 * PI * frequency
    q = np.concatenate([p[:1], p, p[-1:]])
    return p + damping / w / dt * (q[2:] - q[:-2]) + (q[2:] - 2 * p + q[:-2]) / (w * dt) ** 2


def excess(p, dt, lim):
    """Largest parts of the limits that finite differences take."""
    d = (p, np.diff(p, axis=0) / dt, np.diff(p, 2, axis=0) / dt ** 2)
    return tuple(float((np.abs(x) / most).max()) for x, most in zip(d, lim))
