# SPDX-License-Identifier: LGPL-2.1-or-later
"""octphys.py -- float64 phantom for functional OCT: tissue with speckle, vessels with moving particles, bulk motion,
trigger jitter, tails below vessels, shot noise.  It delivers A-scans as octfft does (unitary, window of unit mean
square, bins q = 0 .. N/2-1), so that everything in functional.py can be tested on the A-scans of an element.

Conventions: lengths in um of tissue, times in s, velocities in um/ms = mm/s.  B-scans are [lines][bins] complex, a set
of repeats [N][lines][bins].  A scatterer of amplitude r at depth z gives the spectrum r S_n exp (2 i kn_n z), kn the
wavenumber in tissue; spectra are analytic (no mirror image), which is what bins 0 .. N/2-1 of real spectra hold too.
The spot is Gaussian: a scatterer at distance r of the beam's axis has the weight exp (-2 r^2 / w^2) (lighting times
collection), so that the field of static speckle has the coherence exp (-d^2 / w^2) after a shift d of the beam.
"""
import numpy as np

PI = np.pi


class System:
    """spectral-domain system with N samples uniform in wavenumber; dz, dx, dy: um between bins, A-lines, B-scans"""

    def __init__(self, N=384, lam=0.85, index=1.38, dz=2.0, dx=3.0, dy=6.0, w=9.0, source=0.6, line_rate=100e3,
                 interscan=4e-3):
        self.N, self.D, self.lam, self.index = N, N // 2, lam, index
        self.dz, self.dx, self.dy, self.w = dz, dx, dy, w
        self.line_rate, self.interscan = line_rate, interscan
        n = np.arange(N)
        self.kc = 2 * PI * index / lam                        # centre, in tissue, rad/um
        self.kn = self.kc + (n - N / 2) * PI / (N * dz)
        self.S = np.exp(-4 * np.log(2) * ((n - N / 2) / (source * N)) ** 2)
        h = np.hanning(N)
        self.win = h / np.sqrt(np.mean(h ** 2))
        over = 32                                             # axial point-spread function without its carrier
        m = np.arange(-12 * over, 12 * over + 1) / over
        g = np.exp(-2j * PI * np.outer(m, n - N / 2) / N) @ (self.win * self.S) / np.sqrt(N)
        self.psf_u, self.psf_v, self.psf_over = m, g.real, over
        self.psf_power = np.sum(np.abs(np.interp(np.arange(-12, 13), m, g.real)) ** 2)

    def transform(self, spectra):
        """analytic spectra (.., N) -> A-scans (.., D)"""
        return np.fft.fft(spectra * self.win, axis=-1)[..., : self.D] / np.sqrt(self.N)

    def noise(self, shape, rng, power=1.0):
        """shot noise of real spectra, as A-scans of mean power `power`"""
        y = rng.standard_normal(tuple(shape) + (self.N,)) * np.sqrt(power)
        return np.fft.rfft(y * self.win, axis=-1)[..., : self.D] / np.sqrt(self.N)


class Vessel:
    """cylinder along y (or x) that falls by the Doppler angle: alpha degrees between flow and beam; laminar profile,
    `speed` (mm/s) is the largest; diffusion in um^2/s of every coordinate"""

    def __init__(self, x=0.0, z=0.0, diameter=60.0, speed=3.0, alpha=90.0, diffusion=0.2, along="y", density=1 / 200.0,
                 tail=0.0):
        self.x, self.z, self.R, self.speed = x, z, diameter / 2, speed
        self.alpha, self.diffusion, self.along, self.density, self.tail = np.deg2rad(alpha), diffusion, along, density, tail

    def depth(self, along):
        """depth of the axis at a position along the vessel (um)"""
        return self.z + along / np.tan(self.alpha) if abs(np.cos(self.alpha)) > 1e-9 else self.z + 0 * along

    def inside(self, x, y, z):
        a, b = (y, x) if self.along == "y" else (x, y)
        rz = (z - self.depth(a)) * np.sin(self.alpha)
        return (b - self.x) ** 2 + rz ** 2 < self.R ** 2

    def velocity(self, x, y, z):
        """axial velocity, mm/s (+: deeper), 0 outside"""
        a, b = (y, x) if self.along == "y" else (x, y)
        r2 = ((b - self.x) ** 2 + ((z - self.depth(a)) * np.sin(self.alpha)) ** 2) / self.R ** 2
        return np.where(r2 < 1, self.speed * (1 - r2), 0) * np.cos(self.alpha)

    def start(self, length, rng):
        n = max(1, rng.poisson(self.density * PI * self.R ** 2 * length))
        r, f = self.R * np.sqrt(rng.uniform(0, 1, n)), rng.uniform(0, 2 * PI, n)
        self.b, self.c = r * np.cos(f), r * np.sin(f)          # across: horizontal, and normal to both
        self.s = rng.uniform(-length / 2, length / 2, n)      # along
        self.v = self.speed * 1e3 * (1 - (r / self.R) ** 2)   # um/s
        self.jit = np.zeros((3, n))
        self.length = length
        self.amp = rng.choice([-1.0, 1.0], n)

    def positions(self, t):
        """t [lines] s -> x, y, z [lines][particles]"""
        s = (self.s[None] + self.v[None] * np.asarray(t)[:, None] + self.length / 2) % self.length - self.length / 2
        a = s * np.sin(self.alpha) - self.c * np.cos(self.alpha)
        z = self.z + s * np.cos(self.alpha) + self.c * np.sin(self.alpha)
        b = self.x + self.b + 0 * s
        a, b, z = a + self.jit[0], b + self.jit[1], z + self.jit[2]
        return (b, a, z) if self.along == "y" else (a, b, z)

    def diffuse(self, dt, rng):
        if self.diffusion:
            self.jit = self.jit + np.sqrt(2 * self.diffusion * dt) * rng.standard_normal(self.jit.shape)


class Phantom:
    """profile (z um) -> mean backscattered amplitude density; scatterers on a grid, periodic in x and y"""

    def __init__(self, system, lines=160, ny=32, vessels=(), profile=None, surface=None, seed=0):
        self.sys, self.lines, self.vessels = system, lines, list(vessels)
        rng = self.rng = np.random.default_rng(seed)
        s = system
        self.gy = s.dx                                        # grid in y, um
        self.ny = ny
        self.x = np.arange(lines) * s.dx
        self.y = (np.arange(ny) - ny / 2) * self.gy
        self.z = np.arange(2 * s.D) * s.dz / 2
        X, Y, Z = np.meshgrid(self.x, self.y, self.z, indexing="ij")
        self.surface = (lambda x, y: 0 * x + 30.0) if surface is None else surface
        prof = (lambda d: np.where(d > 0, 1.0, 0.0)) if profile is None else profile
        self.prof = prof
        self.amp = prof(Z - self.surface(X, Y))
        r = (rng.standard_normal(X.shape) + 1j * rng.standard_normal(X.shape)) / np.sqrt(2) * self.amp
        for v in self.vessels:
            r[v.inside(X, Y, Z)] = 0
            v.start(max(ny * self.gy if v.along == "y" else lines * s.dx * 1.3, 60.0), rng)
        self.r = r
        self.unit = 1 / np.sqrt(s.dx * self.gy * s.dz / 2)     # amplitude of a particle per sqrt(um^-3) of density
        # mean power of tissue of amplitude 1: sum over the grid of spot and axial weights
        g2 = lambda d: np.sum(np.exp(-4 * d ** 2 / s.w ** 2))
        self.power = g2(self.x - self.x[lines // 2]) * g2(self.y) * 2 * s.psf_power
        self.t = 0.0
        self.kx = 2 * PI * np.fft.fftfreq(lines, s.dx)

    def _spot_x(self, dx):
        s = self.sys
        g = np.exp(-s.w ** 2 * self.kx ** 2 / 8) * s.w * np.sqrt(PI / 2) / s.dx
        return g * np.exp(1j * self.kx * dx)

    def bscan(self, y=0.0, dx=0.0, dy=0.0, axial=None, jitter=None, t0=None, noise=None, still=False):
        """A-scans [lines][D] of the beam at y (um); dx, dy: the sample has moved by -dx, -dy; axial [lines]: it has
        moved deeper by so many um; jitter [lines]: the trigger came so many samples late; noise: mean power"""
        s, L = self.sys, self.lines
        axial = np.zeros(L) if axial is None else np.broadcast_to(axial, (L,))
        t = (self.t if t0 is None else t0) + np.arange(L) / s.line_rate * (not still)
        wy = np.exp(-2 * (self.y - y - dy) ** 2 / s.w ** 2)
        use = wy > 1e-5
        f = np.einsum("y,xyz->xz", wy[use], self.r[:, use])
        f = np.fft.ifft(np.fft.fft(f, axis=0) * self._spot_x(dx)[:, None], axis=0)
        # bins of half width: z = m dz / 2; spectrum by an FFT of length 2 N
        ph = np.exp(2j * s.kn[0] * self.z)
        sp = np.fft.ifft(f * ph, n=2 * s.N, axis=-1)[:, : s.N] * 2 * s.N * s.S
        sp *= np.exp(2j * s.kn[None] * axial[:, None])
        if jitter is not None:                                # sample n is taken at n + jitter
            pass
        a = s.transform(sp)
        for v in self.vessels:
            a += self._particles(v, t, y + dy, dx, axial)
        for v in self.vessels:
            if v.tail:
                a *= self._tail(v, y + dy, dx)
        if jitter is not None:                                # phase in proportion to depth
            a = a * np.exp(2j * PI * np.outer(jitter, np.arange(s.D)) / s.N)
        if noise:
            a = a + s.noise((L,), self.rng, noise)
        return a

    def _particles(self, v, t, y, dx, axial):
        s, L = self.sys, self.lines
        px, py, pz = v.positions(t)
        wx = px - (self.x[:, None] + dx)
        period = L * s.dx
        wx = (wx + period / 2) % period - period / 2
        keep = (np.abs(wx) < 1.7 * s.w) & (np.abs(py - y) < 1.7 * s.w)
        i, m = np.nonzero(keep)
        z = pz[i, m] + axial[i]
        a = v.amp[m] * self.unit_of(v) * self.prof(pz[i, m] - self.surface(px[i, m], py[i, m])) * np.exp(-2 * (wx[i, m] ** 2 + (py[i, m] - y) ** 2) / s.w ** 2)
        q0 = np.floor(z / s.dz).astype(int)
        q = q0[:, None] + np.arange(-8, 10)[None]
        u = q - z[:, None] / s.dz
        p = np.interp(u.ravel(), s.psf_u, s.psf_v).reshape(u.shape)
        c = a[:, None] * p * np.exp(2j * s.kc * z)[:, None] * np.where(q & 1, -1.0, 1.0)
        ok = (q >= 0) & (q < s.D)
        k = (i[:, None] * s.D + q)[ok]
        out = np.bincount(k, c.real[ok], L * s.D) + 1j * np.bincount(k, c.imag[ok], L * s.D)
        return out.reshape(L, s.D)

    def unit_of(self, v):
        """amplitude of a particle, so that blood scatters as tissue of amplitude 1 does"""
        return self.unit / np.sqrt(v.density)

    def _tail(self, v, y, dx):
        """below a vessel light has been scattered forward in it: a share v.tail of the power, where it is thickest, is
        multiplied by speckle that is new in every repeat, alike over the spot and some bins of depth"""
        s, L = self.sys, self.lines
        z = np.arange(s.D) * s.dz
        b = self.x + dx - v.x
        chord = np.sqrt(np.maximum(0, 1 - (b / v.R) ** 2))
        g = self.rng.standard_normal((2, L, s.D))
        k = np.fft.fftfreq(L, s.dx)[:, None] * 2 * PI
        m = np.fft.fftfreq(s.D, s.dz)[None] * 2 * PI
        g = np.fft.ifft2(np.fft.fft2(g[0] + 1j * g[1]) * np.exp(-(s.w * k) ** 2 / 8 - (4 * s.dz * m) ** 2 / 8))
        g /= np.sqrt(np.mean(np.abs(g) ** 2))
        top = v.depth(np.full(L, y)) - v.R * chord
        p = v.tail * chord[:, None] * np.clip((z[None] - top[:, None]) / (2 * v.R * chord + 1e-9)[:, None], 0, 1)
        p = np.where(chord[:, None] > 0, p, 0)
        return np.sqrt(1 - p) + np.sqrt(p) * g

    def repeats(self, n, y=0.0, motion=None, noise=None, dt=None):
        """n B-scans at y, `interscan` apart.  motion: dict of arrays per repeat: dx, dy [n], axial, jitter [n][lines]"""
        m = motion or {}
        out = []
        dt = self.sys.interscan if dt is None else dt
        for i in range(n):
            one = {k: v[i] for k, v in m.items()}
            out.append(self.bscan(y, noise=noise, **one))
            self.t += dt
            for v in self.vessels:
                v.diffuse(dt, self.rng)
        return np.array(out)

    def labels(self, y=0.0, shrink=0.0, grow=6.0):
        """[lines][D] int: 1 .. vessel number (inside by `shrink` um), 0 static (further than `grow` from any and
        not below one), -1 neither, -2 empty (above the surface)"""
        s = self.sys
        X, Z = np.meshgrid(self.x, np.arange(s.D) * s.dz, indexing="ij")
        Y = 0 * X + y
        lab = np.zeros(X.shape, int)
        top = self.surface(X, Y)
        for i, v in enumerate(self.vessels):
            R = v.R
            v.R = R + grow
            near = v.inside(X, Y, Z)
            below = np.zeros_like(near)
            if v.tail:
                below = (np.abs(X - v.x) < v.R) & (Z > v.depth(Y)) if v.along == "y" else Z > v.depth(X)
            v.R = max(R - shrink, 0.5 * R)
            inn = v.inside(X, Y, Z)
            v.R = R
            lab[(near | below) & (lab == 0)] = -1
            lab[inn] = i + 1
        lab[(Z < top + 8) & (lab <= 0)] = -1
        lab[Z < top - 12] = -2
        return lab


def motion(n, lines, rng, axial_speed=0.0, vibration=0.0, lateral=0.0, jitter=0.0, line_rate=100e3, interscan=4e-3):
    """bulk motion of n repeats: axial_speed mm/s (0.7 to 1 of it, either way), vibration: um rms of a
    smooth random movement inside B-scans, lateral: um rms of a step from repeat to repeat, jitter: samples rms"""
    t = np.arange(n)[:, None] * interscan + np.arange(lines)[None] / line_rate
    v = rng.choice([-1, 1]) * rng.uniform(0.7, 1) * axial_speed * 1e3
    z = v * t
    if vibration:
        f = rng.uniform(20, 120, 6)
        z = z + vibration * np.sqrt(2 / 6) * np.sum([np.sin(2 * PI * k * t + rng.uniform(0, 2 * PI)) for k in f], 0)
    step = np.cumsum(rng.standard_normal((2, n)) * lateral, 1)
    step -= step[:, :1]
    return dict(dx=step[0], dy=step[1], axial=z - z[0, 0], jitter=rng.standard_normal((n, lines)) * jitter)
