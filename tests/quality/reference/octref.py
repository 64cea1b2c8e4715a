# SPDX-License-Identifier: LGPL-2.1-or-later
"""octref.py -- float64 reference for SD-OCT reconstruction (NUDFT / NUFFT / CS).

Conventions (all lengths in um, k in rad/um, all arrays batch-first (L, N)):
  * k is sorted ascending, k[0] < ... < k[N-1].
  * omega_n = 2*pi*(k_n-k_0)/P ,  P = dK*N/(N-1) ("full period", default) or
    P = dK ("seed": the formula printed in Xu 2014; first and last node coincide).
    With P = dK*N/(N-1) a uniform k grid gives omega_n = 2*pi*n/N, i.e. the plain DFT.
  * modes are CENTRED, stored in FFT order: q = 0..N/2-1, -N/2..-1.
  * type 2  (A x)_n   = N^-1/2 sum_q x_q exp(+i omega_n q)      depth -> spectrum
    type 1  (A^H y)_q = N^-1/2 sum_n y_n exp(-i omega_n q)      spectrum -> depth
    They are exact adjoints of each other (NOT inverses unless k is uniform).
  * depth of mode q: z_q = q*pi/P  (double pass: fringe = cos(2 k z)).
"""
import numpy as np
import scipy.fft as sfft
import scipy.sparse as sp
from scipy.interpolate import CubicSpline
from scipy.special import i0

PI = np.pi


# ----------------------------------------------------------------- geometry
def wavelength_axis(N=2048, lam_c=0.845, dlam=0.240 / 2048):
    return lam_c + (np.arange(N) - (N - 1) / 2) * dlam


def k_from_lambda(lam):
    """ascending k and the permutation taking pixel order to ascending-k order"""
    k = 2 * PI / lam
    p = np.argsort(k)
    return k[p], p


def period(k, mode="full"):
    N = len(k)
    dK = k[-1] - k[0]
    return dK * N / (N - 1) if mode == "full" else dK


def nodes(k, mode="full"):
    return 2 * PI * (k - k[0]) / period(k, mode)


def modes(N):
    return np.fft.fftfreq(N, 1.0 / N)


def depth_axis(k, mode="full"):
    return np.arange(len(k) // 2) * PI / period(k, mode)


# ------------------------------------------------------------- exact NUDFT
class NUDFT:
    """dense exact transform. kind: 'centred' (q=-N/2..N/2-1, = MNUDFT up to the
    Nyquist column), 'mnudft' (Xu eq. 2 literally), 'naive' (q=0..N-1)."""

    def __init__(self, k, kind="centred", pmode="full", omega=None):
        N = len(k)
        om = nodes(k, pmode) if omega is None else omega
        if kind == "naive":
            q = np.arange(N, dtype=float)
        else:
            q = modes(N)
            if kind == "mnudft":
                q[N // 2] = N / 2          # eq. (2): column N/2 is h(p, N/2), not conj
        self.E = np.exp(1j * np.outer(om, q)) / np.sqrt(N)
        self.N = N

    def t2(self, x):
        return x @ self.E.T

    def t1(self, y):
        return y @ self.E.conj()


# ---------------------------------------------------------- gridding NUFFT
def beatty_beta(R, W):
    return PI * np.sqrt((W / R) ** 2 * (R - 0.5) ** 2 - 0.8)


def gauss_theta_grid(R, W):
    """Greengard-Lee tau (eq. 8), in (grid cell)^2 units: theta*(Mr/2pi)^2"""
    return (R / (2 * PI)) ** 2 * PI / (R * (R - 0.5)) * (W / 2)


class NUFFT:
    """R: oversampling, W: kernel width in oversampled cells, kernel 'kb'|'gauss'.
    Type-1 = spread, FFT(Mr), keep centred N modes, divide by ghat.  Type-2 = adjoint."""

    def __init__(self, k, R=2.0, W=3, kernel="kb", pmode="full", beta=None, theta=None, omega=None):
        N = len(k)
        Mr = int(round(R * N))
        om = nodes(k, pmode) if omega is None else omega
        u = om / (2 * PI) * Mr                       # position in grid cells
        q = modes(N)
        xi = q / Mr                                  # cycles / cell
        W = float(W)
        i0_ = np.ceil(u - W / 2).astype(int)         # first cell in the window
        J = int(np.floor(W)) + 1
        cols = i0_[:, None] + np.arange(J)[None, :]
        d = cols - u[:, None]
        ok = np.abs(d) <= W / 2
        if kernel == "kb":
            self.par = beatty_beta(R, W) if beta is None else beta
            arg = np.maximum(1 - (2 * d / W) ** 2, 0)
            g = i0(self.par * np.sqrt(arg)) / W
            s = np.sqrt((self.par ** 2 - (PI * W * xi) ** 2).astype(complex))
            gh = np.where(np.abs(s) < 1e-9, 1.0, np.sinh(s) / np.where(s == 0, 1, s)).real
        elif kernel == "gauss":
            self.par = gauss_theta_grid(R, W) if theta is None else theta
            g = np.exp(-d ** 2 / (4 * self.par))
            gh = np.sqrt(4 * PI * self.par) * np.exp(-self.par * (2 * PI * xi) ** 2)
        else:
            raise ValueError(kernel)
        g = np.where(ok, g, 0.0)
        rows = np.repeat(np.arange(N), J)
        self.S = sp.csr_matrix((g.ravel(), (rows, (cols % Mr).ravel())), shape=(N, Mr))
        self.ST = self.S.T.tocsr()
        self.gh, self.N, self.Mr = gh, N, Mr
        self.idx = q.astype(int) % Mr

    def t1(self, y):
        y = np.atleast_2d(y)
        grid = (self.ST @ y.T).T                     # (L, Mr)
        F = sfft.fft(grid, axis=-1)
        return F[:, self.idx] / self.gh / np.sqrt(self.N)

    def t2(self, x):
        x = np.atleast_2d(x)
        F = np.zeros((x.shape[0], self.Mr), complex)
        F[:, self.idx] = x / self.gh
        grid = sfft.ifft(F, axis=-1) * self.Mr
        return (self.S @ grid.T).T / np.sqrt(self.N)


class UDFT:
    """unitary FFT pair on a uniform k grid (FFT-CS)"""

    def __init__(self, N):
        self.N = N

    def t1(self, y):
        return sfft.fft(y, axis=-1) / np.sqrt(self.N)

    def t2(self, x):
        return sfft.ifft(x, axis=-1) * np.sqrt(self.N)


# -------------------------------------------------- k-resampling + FFT path
def uniform_k(k):
    return np.linspace(k[0], k[-1], len(k))


def resample(k, y, method="linear", a=3):
    y = np.atleast_2d(y)
    kk = uniform_k(k)
    if method == "linear":
        return np.stack([np.interp(kk, k, r) for r in y])
    if method == "cubic":
        return CubicSpline(k, y, axis=-1)(kk)
    if method == "lanczos":                          # index-space Lanczos-a, normalised
        N = len(k)
        t = np.interp(kk, k, np.arange(N))           # local index of each target
        base = np.floor(t).astype(int)
        out = np.zeros((y.shape[0], N))
        wsum = np.zeros(N)
        for j in range(-a + 1, a + 1):
            i = base + j
            d = t - i
            w = np.where(np.abs(d) < a, np.sinc(d) * np.sinc(d / a), 0.0)
            out += w * y[:, np.clip(i, 0, N - 1)]
            wsum += w
        return out / wsum
    raise ValueError(method)


def shafer_upsample(y, factor=2):
    """FFT, zero-fill, IFFT (band-limited upsampling of a real A-line)."""
    y = np.atleast_2d(y)
    N = y.shape[-1]
    Y = sfft.rfft(y, axis=-1)
    Z = np.zeros((y.shape[0], factor * N // 2 + 1), complex)
    Z[:, : N // 2 + 1] = Y
    if N % 2 == 0:
        Z[:, N // 2] *= 0.5                          # split Nyquist
    return sfft.irfft(Z, n=factor * N, axis=-1) * factor


def shafer_resample(lam_pix, y, factor=2):
    """Shafer: upsample in pixel (wavelength) space, then linear-interpolate at
    wavelengths equidistant in k.  lam_pix ascending, y in pixel order."""
    up = shafer_upsample(y, factor)
    N = len(lam_pix)
    tu = np.arange(factor * N) / factor
    lam_u = np.interp(tu, np.arange(N), lam_pix)
    d = lam_pix[-1] - lam_pix[-2]
    lam_u[tu > N - 1] = lam_pix[-1] + (tu[tu > N - 1] - (N - 1)) * d
    kk = np.linspace(2 * PI / lam_pix[-1], 2 * PI / lam_pix[0], factor * N)
    lt = 2 * PI / kk
    return np.stack([np.interp(lt, lam_u, r) for r in up]), kk


def deconv_lanes(method, N):
    """frequency response of the interpolator at uniform spacing (Chan's 'deconvolution')"""
    f = np.abs(modes(N)) / N
    if method == "linear":
        return np.sinc(f) ** 2
    if method == "cubic":
        return np.sinc(f) ** 4 / (2 / 3 + np.cos(2 * PI * f) / 3)
    raise ValueError(method)


# ------------------------------------------------------------ pre / post
def dc_subtract(raw, ref=None):
    """subtract the mean spectrum over the B-scan (Shafer) or a given reference"""
    return raw - (raw.mean(0) if ref is None else ref)


def dispersion_phase(k, a2=0.0, a3=0.0, kc=None):
    kc = 0.5 * (k[0] + k[-1]) if kc is None else kc
    return np.exp(-1j * (a2 * (k - kc) ** 2 + a3 * (k - kc) ** 3))


def log_image(x, floor=1e-12):
    """10*log10(|x|^2)"""
    return 10 * np.log10(np.abs(x) ** 2 + floor)


def to_u8(img, lo, hi):
    return np.clip(np.rint((img - lo) / (hi - lo) * 255), 0, 255).astype(np.uint8)


# --------------------------------------------------------------- solvers
def soft(u, a):
    m = np.abs(u)
    return u * (np.maximum(m - a, 0) / np.where(m > 0, m, 1))


def sparsa(op, mask, y, tau=3.0, eta=15, alpha0=1.0, rule="eq14", amin=1e-30, amax=1e30,
           history=False, x0=None):
    """min_x 1/2||I F x - y||^2 + tau||x||_1, fixed eta iterations, Barzilai-Borwein alpha.
    y: (L,N) zero-filled (zero where mask is False).  rule 'eq14' = ||dr||^2/||s||^2,
    'line17' = ||dr||/||s|| (the procedure as printed)."""
    y = y * mask
    x = np.zeros(y.shape, complex) if x0 is None else x0.astype(complex)
    r = op.t2(x) * mask - y if x0 is not None else -y.astype(complex)
    al = np.full((y.shape[0], 1), float(alpha0))
    H = []
    for _ in range(eta):
        u = x - op.t1(r) / al
        xn = soft(u, tau / al)
        s = xn - x
        rn = op.t2(xn) * mask - y
        dd = np.sum(np.abs(rn - r) ** 2, -1, keepdims=True)
        ss = np.sum(np.abs(s) ** 2, -1, keepdims=True)
        al = np.where(ss > 0, dd / np.where(ss > 0, ss, 1), amax)
        if rule == "line17":
            al = np.sqrt(al)
        al = np.clip(al, amin, amax)
        x, r = xn, rn
        if history:
            H.append(0.5 * np.sum(np.abs(r) ** 2, -1) + tau * np.sum(np.abs(x), -1))
    return (x, np.array(H)) if history else x


def sparsa_toeplitz(k, mask, y, tau=3.0, eta=15, alpha0=1.0, pmode="full", half=False):
    """Same iterates as sparsa(NUDFT(k), ...) but the normal operator A^H A (Toeplitz in the
    centred modes) is applied with FFTs of length 2N: no gridding, no kernel error.
    half=True keeps only q=0..N/2 (real data -> Hermitian x) and uses real FFTs."""
    N = len(k)
    om = nodes(k, pmode)
    b = (y * mask) @ (np.exp(-1j * np.outer(om, modes(N))) / np.sqrt(N))
    d = np.fft.fftfreq(2 * N, 1.0 / (2 * N))                 # lag q-q' = -N..N-1
    t = np.exp(-1j * np.outer(d, om[mask])).sum(1) / N
    t[N] = 0
    lam = sfft.fft(t).real                                   # real because t is Hermitian
    idx = modes(N).astype(int) % (2 * N)
    w = np.ones(N)
    if half:
        # state: q = 0..N/2-1 (complex) plus q=-N/2 kept as a separate complex scalar
        pos, nyq = slice(0, N // 2), N // 2

    def T(x):
        X = np.zeros((x.shape[0], 2 * N), complex)
        X[:, idx] = x
        return sfft.ifft(sfft.fft(X, axis=-1) * lam, axis=-1)[:, idx]

    def T_half(xh, xn):
        # full Hermitian part through irfft/rfft of length 2N (N/2 zero-padded), plus the
        # lone Nyquist mode q=-N/2 (not Hermitian in an even-length centred range)
        H = np.zeros((xh.shape[0], N + 1), complex)
        H[:, : N // 2] = xh.conj()                           # conj: fft of Hermitian = real
        v = sfft.irfft(H, n=2 * N, axis=-1) * 2 * N          # = fft(X) real
        ph = np.exp(1j * PI / 2 * np.arange(2 * N))          # fft of delta at -N/2
        vc = v * lam
        Y = sfft.rfft(vc, axis=-1).conj() / (2 * N)          # = ifft(real)
        g = sfft.fft((lam * ph)[None], axis=-1)              # response to the Nyquist mode
        R = sfft.ifft((lam * ph)[None], axis=-1)[0]
        oh = Y[:, : N // 2] + xn * R[: N // 2]
        on = (vc * ph.conj()).sum(-1, keepdims=True) / (2 * N) + xn * lam.sum() / (2 * N)
        return oh, on

    al = np.full((y.shape[0], 1), float(alpha0))
    if not half:
        x = np.zeros(b.shape, complex)
        Tx = np.zeros_like(x)
        for _ in range(eta):
            xn = soft(x - (Tx - b) / al, tau / al)
            Tn = T(xn)
            s = xn - x
            ss = np.sum(np.abs(s) ** 2, -1, keepdims=True)
            dd = np.sum((s.conj() * (Tn - Tx)).real, -1, keepdims=True)
            al = np.where(ss > 0, dd / np.where(ss > 0, ss, 1), 1e30)
            x, Tx = xn, Tn
        return x
    bh, bn = b[:, : N // 2], b[:, N // 2: N // 2 + 1]
    wt = np.full(N // 2, 2.0)
    wt[0] = 1.0
    xh, xq = np.zeros_like(bh), np.zeros_like(bn)
    Th, Tq = np.zeros_like(bh), np.zeros_like(bn)
    for _ in range(eta):
        nh = soft(xh - (Th - bh) / al, tau / al)
        nq = soft(xq - (Tq - bn) / al, tau / al)
        a1, a2 = T_half(nh, nq)
        # the Nyquist response on q=0..N/2-1 breaks exact symmetry only through q=-N/2
        sh, sq = nh - xh, nq - xq
        ss = (wt * np.abs(sh) ** 2).sum(-1, keepdims=True) + np.abs(sq) ** 2
        dd = (wt * (sh.conj() * (a1 - Th)).real).sum(-1, keepdims=True) + (sq.conj() * (a2 - Tq)).real
        al = np.where(ss > 0, dd / np.where(ss > 0, ss, 1), 1e30)
        xh, xq, Th, Tq = nh, nq, a1, a2
    out = np.zeros(b.shape, complex)
    out[:, : N // 2] = xh
    out[:, N // 2:N // 2 + 1] = xq
    out[:, N // 2 + 1:] = xh[:, :0:-1].conj()
    return out


def yall1_adm(A, AH, b, nx=None, delta=0.0, rho=0.0, mu=None, gamma=1.0, maxit=100, tol=0.0,
              samples=None, weights=1.0, copies=1.0, info=False):
    """Dual ADM of YALL1 v1.4 (Yang & Zhang) for A with orthonormal rows, rows of b independent:
      delta>0: min||w c||_1 s.t. ||Ac-b||<=delta ; rho>0: min ||w c||_1+||Ac-b||^2/(2 rho);
      both 0 : basis pursuit, YALL1's default.   b is zero outside the sampled set.
    samples: numbers measured per row (mu = mean |b| over them, as YALL1 does; None: the non-zero ones).
    copies: how often each number of c counts (2 for the modes of a half spectrum).  A row of norm <= delta gives zeros. A row stops when its relative change is below 0.9 tol (looked at every
    second iteration), whatever the others do. mu falls tenfold when the gap is 50 times the dual residual.
    info: also the iterations, the relative duality gap and
    the dual residual max(|A^H y| - w, 0), per row."""
    b = np.asarray(b)
    out = np.zeros_like(AH(b))
    its, gaps, dual = np.zeros(len(b), int), np.zeros(len(b)), np.zeros(len(b))
    at = np.flatnonzero(np.linalg.norm(b, axis=-1) > np.broadcast_to(delta, (len(b), 1))[:, 0])
    if len(at):
        b = b[at]
        sc = np.max(np.abs(b), -1, keepdims=True)
        b = b / sc
        rho = np.broadcast_to(rho, (len(out), 1))[at] / sc
        delta = np.broadcast_to(delta, (len(out), 1))[at] / sc
        count = samples or np.sum(b != 0, -1, keepdims=True)
        mu = np.sum(np.abs(b), -1, keepdims=True) / count if mu is None else np.full((len(b), 1), mu)
        least = 1.1e-8 * mu
        x = AH(b)
        z = np.zeros_like(x)
        for it in range(1, maxit + 1):
            y = (A(z - x / mu) + b / mu) / (1 + rho / mu)
            if np.any(delta > 0):
                ny = np.linalg.norm(y, axis=-1, keepdims=True)
                y = np.maximum(0, 1 - (delta / mu) / np.where(ny > 0, ny, 1)) * y
            Ay = AH(y)
            z = Ay + x / mu
            z = z * (weights / np.maximum(weights, np.abs(z)))
            step = gamma * mu * (Ay - z)
            x = x + step
            if it % 2 and it < maxit:
                continue
            size = lambda v: np.sqrt(np.sum(copies * np.abs(v) ** 2, -1))
            norm = size(x)
            change = size(step) / np.where(norm > 0, norm, 1)
            primal = np.sum(copies * np.abs(weights * x), -1)
            value = np.sum((b.conj() * y).real, -1) - (delta[:, 0] * np.linalg.norm(y, axis=-1))
            if np.any(rho > 0):
                primal = primal + np.sum(np.abs(A(x) - b) ** 2, -1) / (2 * np.where(rho > 0, rho, 1)[:, 0])
                value = value - rho[:, 0] / 2 * np.sum(np.abs(y) ** 2, -1)
            gap = np.abs(value - primal) / np.where(primal > 0, primal, 1)
            resid = size(z)
            resid = size(Ay - z) / np.where(resid > 0, resid, 1)
            done = (change < 0.9 * tol) | (it == maxit)
            if done.any():
                out[at[done]] = (x * sc)[done]
                its[at[done]], gaps[at[done]] = it, gap[done]
                dual[at[done]] = np.max(np.abs(Ay) - weights, -1)[done].clip(0)
                k = ~done
                at, b, sc, rho, delta, mu, least, x, z, gap, resid = (
                    v[k] for v in (at, b, sc, rho, delta, mu, least, x, z, gap, resid))
                if not len(at):
                    break
            if it > 10:
                mu = np.where(((gap > 50 * resid) & (mu[:, 0] > least[:, 0]))[:, None], 0.1 * mu, mu)
    return (out, dict(iterations=its, gap=gaps, dual=dual)) if info else out


def kkt_residual(c, gradient, threshold):
    """largest violation of the optimality of min f(c) + sum threshold |c|, in units of the largest threshold"""
    m = np.abs(c)
    v = np.where(m > 0, np.abs(gradient + threshold * c / np.where(m > 0, m, 1)), np.abs(gradient) - threshold)
    return np.max(v) / np.max(threshold)


# ------------------------------------------------------------- wavelet (db)
def daubechies(n):
    """orthonormal Daubechies low-pass filter with n vanishing moments (2n taps)"""
    from numpy.polynomial import polynomial as P
    from scipy.special import comb
    p = [comb(n - 1 + j, j) for j in range(n)]       # P(y), y = sin^2(w/2)
    yr = np.roots(p[::-1]) if n > 1 else []
    h = np.array([1.0 + 0j])
    for _ in range(n):
        h = np.convolve(h, [0.5, 0.5])
    for r in yr:                                     # y = (2 - z - 1/z)/4
        b = 2 - 4 * r
        zz = (b + np.sqrt(b * b - 4 + 0j)) / 2
        if abs(zz) > 1:
            zz = 1 / zz
        h = np.convolve(h, np.array([1, -zz]) / (1 - zz))
    return (h.real / h.real.sum() * np.sqrt(2))


class Wavelet:
    """periodised orthonormal DWT along the last axis; N must be divisible by 2**levels"""

    def __init__(self, N, n=4, levels=4):
        assert N % 2 ** levels == 0
        self.h = daubechies(n)
        self.g = self.h[::-1] * (-1) ** np.arange(len(self.h))
        self.N, self.levels = N, levels
        self.ix = []
        M = N
        for _ in range(levels):
            self.ix.append((2 * np.arange(M // 2)[:, None] + np.arange(len(self.h))[None]) % M)
            M //= 2
        W = np.eye(N)
        self.mat = self._fwd(W).T                    # c = mat @ x
        self.sp = sp.csr_matrix(np.where(np.abs(self.mat) > 1e-14, self.mat, 0))

    def _fwd(self, x):
        out, a = [], x
        for l in range(self.levels):
            seg = a[..., self.ix[l]]
            out.append(seg @ self.g)
            a = seg @ self.h
        return np.concatenate([a] + out[::-1], -1)

    def fwd(self, x):
        return (self.sp @ x.T).T

    def inv(self, c):
        return (self.sp.T @ c.T).T


# ------------------------------------------------------------------ masks
def mask_variable_density(S, rate, rng, floor=0.1, power=0.5):
    """probability follows the source spectrum (energy guided), sampled w/o replacement"""
    N = len(S)
    p = (S / S.max()) ** power + floor
    m = np.zeros(N, bool)
    m[rng.choice(N, int(round(rate * N)), replace=False, p=p / p.sum())] = True
    return m


def mask_linear_k(k, rate, rng):
    """Zhang 2012: random subset of the uniform k grid, each taken from its nearest pixel.
    Returns (mask on the uniform grid, pixel index for every uniform grid point)."""
    kk = uniform_k(k)
    j = np.searchsorted(k, kk).clip(1, len(k) - 1)
    j = np.where(np.abs(k[j - 1] - kk) < np.abs(k[j] - kk), j - 1, j)
    m = np.zeros(len(k), bool)
    m[rng.choice(len(k), int(round(rate * len(k))), replace=False)] = True
    return m, j


def splitmix_uniform(seed, n):
    """n numbers in (0, 1) of SplitMix64, as the project's core/oct-mask.c draws them"""
    with np.errstate(over="ignore"):
        h = np.uint64(seed) + np.uint64(0x9E3779B97F4A7C15) * np.arange(1, n + 1, dtype=np.uint64)
        h = (h ^ (h >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        h = (h ^ (h >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        h ^= h >> np.uint64(31)
    return ((h >> np.uint64(12)).astype(float) + 0.5) * 2.0 ** -52


def lot(n, seed):
    """0 .. n-1 in the order of a drawing without replacement: ascending -log u"""
    return np.argsort(-np.log(splitmix_uniform(seed, n)), kind="stable")


def mask_uniform(n, rate, seed):
    """max(1, rint(rate n)) of n positions by lot: linear-k mask of spectra on a uniform k grid"""
    m = np.zeros(n, bool)
    m[lot(n, seed)[: max(1, int(np.rint(rate * n)))]] = True
    return m


def mask_max_gap(n, rate, gap, seed):
    """rint(rate n) of n lines: every (gap+1)th from 0 and the last, the others by lot"""
    m = np.zeros(n, bool)
    m[:: gap + 1] = True
    m[n - 1] = True
    missing = max(1, int(np.rint(rate * n))) - m.sum()
    if missing < 0:
        raise ValueError("gaps of at most %d need %d of %d lines" % (gap, m.sum(), n))
    order = lot(n, seed)
    m[order[~m[order]][:missing]] = True
    return m


def gap_for(rate):
    """the largest gap of missing lines that the experiments allow"""
    return int(np.ceil(1.6 / rate))


# ---------------------------------------------------- three-step volumetric
def step_axial(y, mask, delta=0.0, maxit=200, tol=5e-3):
    """step 1: y (lines, N) real spectra on uniform k, mask (N) -> complex A-scans (lines, N/2).
    YALL1 with Psi = I, A = M F (orthonormal rows); delta 0 = basis pursuit (the paper)."""
    N = y.shape[-1]
    copies = np.r_[1.0, np.full(N // 2 - 1, 2.0), 1.0]       # real spectra: modes 0..N/2 are enough
    return yall1_adm(lambda c: sfft.irfft(c, n=N, axis=-1, norm="ortho") * mask,
                     lambda v: sfft.rfft(v, axis=-1, norm="ortho"), y * mask, delta=delta, maxit=maxit, tol=tol,
                     samples=mask.sum(), copies=copies)[:, : N // 2]


class Lateral:
    """orthonormal basis of the lines of one lateral direction. basis: 'wavelet' (periodised db4, 4 levels, on
    n extended to 16 (ceil(n/16) + 1), the added positions unsampled; weight `approx` on the approximation band),
    'wavelet-plain' (n extended to a multiple of 16 only, all weights 1), 'fourier' (periodic), 'cosine' (DCT-II)"""

    def __init__(self, n, basis="wavelet", approx=0.05):
        self.n, self.basis = n, basis
        M = n
        if basis.startswith("wavelet"):
            M = 16 * (-(-n // 16) + (basis == "wavelet"))
            self.T = Wavelet(M, 4, 4).mat
        elif basis == "cosine":
            self.T = sfft.dct(np.eye(n), axis=0, norm="ortho")
        elif basis == "fourier":
            self.T = np.fft.fft(np.eye(n), axis=0, norm="ortho")
        else:
            raise ValueError(basis)
        self.M = M
        self.w = np.ones(M)
        if basis == "wavelet":
            self.w[: M // 16] = approx


def step_lateral(rows, mask, basis="wavelet", tol=5e-3, maxit=500, approx=0.05, info=False):
    """steps 2 and 3: rows (R, kept) values of the lines that mask (n) keeps -> (R, n), every row by itself:
    basis pursuit min ||w c||_1 s.t. (Psi^H c) = rows where mask. Real rows give real lines."""
    L = Lateral(len(mask), basis, approx)
    kept = np.zeros(L.M, bool)
    kept[: L.n] = mask
    Q = L.T[:, kept].copy()                                  # c -> values at the kept lines: c @ conj(Q)
    c, d = yall1_adm(lambda c: c @ Q.conj(), lambda v: v @ Q.T, rows + (0j if basis == "fourier" else 0),
                     tol=tol, maxit=maxit, samples=mask.sum(), weights=L.w, info=True)
    f = (c @ L.T.conj())[:, : L.n]
    f = f if np.iscomplexobj(rows) else f.real
    return (f, d) if info else f


def bilinear(volume, my, mx):
    """kept lines (B-scans, A-lines, depth) -> all, linear between neighbours; the masks keep the ends"""
    P = [np.stack([np.interp(np.arange(len(m)), np.flatnonzero(m), e) for e in np.eye(m.sum())], 1) for m in (my, mx)]
    return np.einsum("ya,xb,abd->yxd", P[0], P[1], volume, optimize=True)


def three_steps(magnitude, my, mx, basis="wavelet", **kw):
    """magnitude (kept B-scans, kept A-lines, depth) -> (B-scans, A-lines, depth): step 2 along the fast axis in
    every kept B-scan and depth, then step 3 along the slow axis in every A-line and depth"""
    a, b, d = magnitude.shape
    full = step_lateral(magnitude.transpose(0, 2, 1).reshape(-1, b), mx, basis, **kw).reshape(a, d, -1)
    rows = full.transpose(2, 1, 0).reshape(-1, a)
    return step_lateral(rows, my, basis, **kw).reshape(len(mx), d, -1).transpose(2, 0, 1)


# ------------------------------------------- better than three steps
def half_forward(x, N):
    """A-scans (..., N/2) of modes 0..N/2-1 -> real spectra (..., N): 2 Re of the unitary transform of the half,
    mode 0 left out.  With half_adjoint (x -> modes of the unitary FFT) A^H A = I on modes 1..N/2-1."""
    h = np.zeros(x.shape[:-1] + (N // 2 + 1,), complex)
    h[..., 1: N // 2] = x[..., 1:]
    return sfft.irfft(h, n=N, axis=-1, norm="ortho")


def half_adjoint(y):
    x = sfft.rfft(y, axis=-1, norm="ortho")[..., : y.shape[-1] // 2]
    x[..., 0] = 0
    return x


def half_sparsa(y, masks, threshold, eta, S=None, SH=None, fall=0.5, per_line=True, history=None):
    """min 1/2 ||M A S^H c - y||^2 + sum threshold |c| (norm of the spectra halved: both halves of a real spectrum
    hold the same), eta SpaRSA steps from c = 0; thresholds start at max_k fall^k max |S A^H y| / threshold
    times as high.  S: A-scans of the lines -> c, SH its adjoint; None: c are the A-scans.  One step size per line, or
    one for all (per_line False).  history gets (objective, KKT residual) after each step."""
    N = y.shape[-1]
    S = S or (lambda v: v)
    SH = SH or (lambda c: c)
    ax = (-1,) if per_line else None
    r = -(y * masks)
    g = S(half_adjoint(r))
    c = np.zeros_like(g)
    al = 1.0
    high = np.max(np.abs(g) / threshold, axis=ax, keepdims=True)
    for k in range(eta):
        f = np.maximum(1.0, high * fall ** (k + 1))
        n = soft(c - g / al, f * threshold / al)
        s = n - c
        rn = half_forward(SH(n), N) * masks - y * masks
        ss = np.sum(np.abs(s) ** 2, axis=ax, keepdims=True)
        dd = np.sum((rn - r) ** 2, axis=ax, keepdims=True).reshape(ss.shape) / 2
        al = np.where(ss > 0, np.clip(dd / np.where(ss > 0, ss, 1), 0.1, 1e30), 1e30)
        c, r = n, rn
        g = S(half_adjoint(r * masks))
        if history is not None:
            history.append((np.sum(r ** 2) / 4 + np.sum(threshold * np.abs(c)), kkt_residual(c, g, threshold)))
    return c


def envelope_scans(y, masks, sigma, passes=4, eta=15, width=(2.0, 2.0, 1.0)):
    """axial CS with thresholds from the neighbours' envelope: y, masks (B-scans, A-lines, N), sigma the noise (rms)
    of the full A-scans. Pass 1: threshold 0.3 sigma everywhere; then sigma^2 / (E + 0.3 sigma), E^2 = |x|^2 of the
    pass before, smoothed by Gaussians of width (B-scans, A-lines, depth bins) cut at 4 widths, edges repeated."""
    from scipy.ndimage import gaussian_filter
    x = half_sparsa(y, masks, 0.3 * sigma, eta)
    for _ in range(passes - 1):
        E = np.sqrt(gaussian_filter(np.abs(x) ** 2, width, mode="nearest", truncate=4))
        x = half_sparsa(y, masks, sigma ** 2 / (E + 0.3 * sigma), eta)
    return x


def lateral_weights(shape, width):
    """weights (B-scans, A-lines, 1) of the DCT-II coefficients for a Gaussian amplitude spot of FWHM width lines"""
    f = [np.pi * np.arange(n) / (2 * n) * w / np.sqrt(8 * np.log(2)) for n, w in zip(shape, width)]
    h2 = np.exp(-4 * (f[0][:, None, None] ** 2 + f[1][None, :, None] ** 2))
    return 1 / np.sqrt(h2 + 1e-3)


def joint_scans(y, masks, acquired, sigma, width, eta=25, tau=0.1, history=None):
    """all lines at once in the complex domain: y, masks (lines, N) of the acquired positions (in order of
    acquired (B-scans, A-lines), bool) -> complex (B-scans, A-lines, N/2); sparsity of the lateral DCT-II of
    every depth, thresholds tau sigma lateral_weights(width)"""
    t = np.broadcast_to(tau * sigma * lateral_weights(acquired.shape, width), acquired.shape + (y.shape[-1] // 2,))

    def spread(v):
        out = np.zeros(t.shape, complex)
        out[acquired] = v
        return sfft.dctn(out, axes=(0, 1), norm="ortho")

    def image(c):
        return sfft.idctn(c, axes=(0, 1), norm="ortho")

    return image(half_sparsa(y, masks, t, eta, spread, lambda c: image(c)[acquired], 0.6, False, history))


def rel_err(f, ref):
    return np.linalg.norm(f - ref) / np.linalg.norm(ref)


def psnr(img, bg):
    """10 log10(max^2 / var(background)) -- var is the VARIANCE (Xu 3D eq. 3)"""
    return 10 * np.log10(img.max() ** 2 / img[bg].var())


# ------------------------------------------------------------- simulator
class Spectrometer:
    """linear-in-wavelength camera; gaussian source; finite resolution = box pixel (x)
    gaussian of FWHM `wres` pixels; Poisson shot noise; read noise; `bits` ADC."""

    def __init__(self, N=2048, lam_c=0.845, fwhm=0.105, dlam=0.240 / 2048, wres=1.0, os=8,
                 fwc=2.0e4, level=0.7, read_e=30.0, bits=12, pixel_box=True, seed=0):
        self.N, self.os = N, os
        self.lam = wavelength_axis(N, lam_c, dlam)
        self.k, self.perm = k_from_lambda(self.lam)
        pad = 8
        j = np.arange(-pad * os, (N + pad) * os) + 0.5
        self.lam_f = self.lam[0] + (j / os - 0.5) * dlam
        self.k_f = 2 * PI / self.lam_f
        self.S_f = np.exp(-4 * np.log(2) * ((self.lam_f - lam_c) / fwhm) ** 2)
        t = np.arange(-6 * os, 6 * os + 1) / os
        g = np.exp(-4 * np.log(2) * (t / wres) ** 2) if wres > 0 else (t == 0).astype(float)
        self.g = g / g.sum()
        self.pad, self.pixel_box = pad, pixel_box
        self.fwc, self.level, self.read_e, self.bits = fwc, level, read_e, bits
        self.rng = np.random.default_rng(seed)
        self.S = self._pix(self.S_f[None])[0]        # pixel order, relative units

    def _pix(self, f):
        from scipy.ndimage import convolve1d
        f = convolve1d(f, self.g, axis=-1, mode="nearest")
        os, p = self.os, self.pad
        f = f[..., p * os:(p + self.N) * os].reshape(f.shape[:-1] + (self.N, os))
        return f.mean(-1) if self.pixel_box else f[..., os // 2]

    def expected(self, z, r, a2=0.0, kc=None):
        """z, r: (n_refl,) or (L,n_refl): depths (um) and amplitude reflectivities relative
        to the reference arm. Returns relative detected spectrum (L,N), pixel order."""
        z, r = np.atleast_2d(z), np.atleast_2d(r)
        out = np.empty((z.shape[0], self.N))
        kc = 2 * PI / 0.845 if kc is None else kc
        ph = a2 * (self.k_f - kc) ** 2
        for i in range(z.shape[0]):
            E = np.zeros(len(self.k_f), complex)
            for zz, rr in zip(z[i], r[i]):
                if rr != 0:
                    E += rr * np.exp(1j * (2 * self.k_f * zz + ph))
            out[i] = self._pix((self.S_f * np.abs(1 + E) ** 2)[None])[0]
        return out

    def detect(self, rel, L=None, noise=True):
        """relative spectrum -> ADC counts, ascending-k order"""
        if L is not None:
            rel = np.repeat(np.atleast_2d(rel), L, 0)
        e = rel * self.level * self.fwc
        if noise:
            e = self.rng.poisson(np.maximum(e, 0)) + self.read_e * self.rng.standard_normal(e.shape)
        full = 2 ** self.bits - 1
        c = np.clip(np.rint(e / self.fwc * full), 0, full)
        return c[:, self.perm]

    def reference(self):
        return (self.S * self.level * (2 ** self.bits - 1))[self.perm]


def layer_phantom(n_lines, rng, surfaces=(150.0, 230.0, 330.0, 460.0), mu=(0.004, 0.002, 0.006),
                  dens=0.35, amp=0.012, corr=4.0, tilt=20.0, n_max=140):
    """multi-layer scattering phantom with speckle. Sub-resolution scatterers with random
    depth inside each layer, amplitude decaying with depth, laterally correlated over `corr`
    lines (PSF).  Returns z (L,n), r (L,n) for Spectrometer.expected."""
    Z, Rf, X0 = [], [], []
    n_tot = int(n_max * n_lines / corr)
    lay = rng.integers(0, len(surfaces) - 1, n_tot)
    for l in lay:
        Z.append(rng.uniform(surfaces[l], surfaces[l + 1]))
        Rf.append(amp * rng.standard_normal() * np.exp(-mu[l] * (Z[-1] - surfaces[0]) / 2) *
                  (1.0, 0.45, 0.8)[l % 3])
        X0.append(rng.uniform(-2 * corr, n_lines + 2 * corr))
    Z, Rf, X0 = map(np.array, (Z, Rf, X0))
    z, r = [], []
    for i in range(n_lines):
        w = np.exp(-((X0 - i) / corr) ** 2)
        s = w > 0.02
        zz = np.concatenate([Z[s], surfaces]) + tilt * np.sin(2 * PI * i / n_lines / 1.5)
        rr = np.concatenate([Rf[s] * w[s], [0.03] + [0.012] * (len(surfaces) - 1)])
        z.append(zz)
        r.append(rr)
    m = max(map(len, z))
    return (np.array([np.pad(a, (0, m - len(a))) for a in z]),
            np.array([np.pad(a, (0, m - len(a))) for a in r]))
