# SPDX-License-Identifier: LGPL-2.1-or-later
"""functional.py -- float64 reference of functional OCT: angiography, Doppler, motion, refocusing, full range, phase of
swept sources, spectral bands, dynamic contrast.  Definitions are those of functional.md.

A B-scan is complex [lines][bins] (A-scans as octfft delivers them, bins from `start`), repeats are [N][lines][bins].
Powers are |a|^2, noise is the mean power of noise alone.  Everything that is averaged is averaged before any logarithm.
"""
import numpy as np
from scipy.fft import dctn, idctn

PI = np.pi


# ------------------------------------------------------------------ windows
def box(v, lines=1, bins=1):
    """mean over `lines` x `bins` (odd) around each value, of those that there are"""
    for axis, k in ((-2, lines), (-1, bins)):
        if k > 1:
            h = k // 2
            c = np.cumsum(v, axis=axis)
            c = np.concatenate([np.zeros_like(np.take(c, [0], axis)), c], axis)
            n = v.shape[axis]
            lo, hi = np.maximum(np.arange(n) - h, 0), np.minimum(np.arange(n) + h + 1, n)
            m = (hi - lo).reshape((-1, 1) if axis == -2 else (-1,))
            v = (np.take(c, hi, axis) - np.take(c, lo, axis)) / m
    return v


def power(a):
    return a.real ** 2 + a.imag ** 2


def noise_floor(a, bands=8):
    """lowest mean power of `bands` equal bands of depth (as OCT_RANGE_CONTRAST finds it, of powers)"""
    p = power(a).reshape(-1, a.shape[-1]).mean(0)
    n = len(p) // bands
    return min(p[i * n: (i + 1) * n].mean() for i in range(bands))


# --------------------------------------------------- bulk phase of A-lines
def bulk_phase(a, b, method="mean", noise=0.0, eps=0.02, lines=1, passes=3, bins=36):
    """phase [lines] by which b is ahead of a.
    mean: arg sum b a*;  unit: arg sum b a* / |b a*| where |ab| > 4 noise;  histogram: the fullest of `bins` bins of arg
    (b a*), weighted by |ab|, smoothed by 1 2 1 and refined by a parabola (Makita 2006 counts, here weighted);
    robust: mean, then `passes` times weights 1 / (1 + |b e^-i phi - a|^2 / (2 (noise + eps (|a|^2 + |b|^2) / 2))),
    in which what moves has little weight;  mode: the same, from the histogram on.  lines: sums over that many A-lines"""
    c = b * a.conj()
    if method == "mean":
        return np.angle(box(c.sum(-1)[:, None], lines)[:, 0])
    if method == "unit":
        m = np.abs(c)
        return np.angle(box(np.where(m > 4 * noise, c / np.maximum(m, 1e-300), 0).sum(-1)[:, None], lines)[:, 0])
    if method == "histogram":
        out = np.zeros(len(a))
        w = np.abs(c)
        i = np.floor((np.angle(c) + PI) / (2 * PI) * bins).astype(int) % bins
        for x in range(len(a)):
            lo, hi = max(0, x - lines // 2), min(len(a), x + lines // 2 + 1)
            h = np.bincount(i[lo:hi].ravel(), w[lo:hi].ravel(), bins)
            h = 2 * h + np.roll(h, 1) + np.roll(h, -1)
            j = np.argmax(h)
            l, m, r = h[j - 1], h[j], h[(j + 1) % bins]
            d = 0.5 * (l - r) / (l - 2 * m + r) if l - 2 * m + r < 0 else 0.0
            out[x] = (j + 0.5 + d) * 2 * PI / bins - PI
        return np.angle(np.exp(1j * out))
    if method in ("robust", "mode"):
        phi = bulk_phase(a, b, "mean" if method == "robust" else "histogram", lines=lines)
        s = 2 * (noise + eps * (power(a) + power(b)) / 2) + 1e-300
        for _ in range(passes):
            w = 1 / (1 + power(b * np.exp(-1j * phi)[:, None] - a) / s)
            phi = np.angle(box((w * c).sum(-1)[:, None], lines)[:, 0])
        return phi
    raise ValueError(method)


def bulk_line(a, b, noise=0.0, eps=0.02, passes=3, robust=True):
    """offset and slope (rad per bin) of the phase of b against a, per A-line: bulk motion and trigger jitter.
    slope: arg sum_q P[q+1] P[q]* with P = b a* (weights as robust); offset at bin 0"""
    c = b * a.conj()
    D = c.shape[-1]
    q = np.arange(D)
    w = np.ones(c.shape)
    s = 2 * (noise + eps * (power(a) + power(b)) / 2) + 1e-300
    for k in range(passes if robust else 1):
        p = c * w
        slope = np.angle(np.sum(p[:, 1:] * p[:, :-1].conj(), -1))
        for _ in range(2):                                    # refined on the rest: halves of the depth
            r = p * np.exp(-1j * slope[:, None] * q)
            wq = np.abs(p).sum(-1)
            mid = (np.abs(p) * q).sum(-1) / np.maximum(wq, 1e-300)
            u = np.where(q < mid[:, None], r, 0).sum(-1)
            v = np.where(q >= mid[:, None], r, 0).sum(-1)
            qu = np.where(q < mid[:, None], np.abs(p) * q, 0).sum(-1) / np.maximum(np.where(q < mid[:, None], np.abs(p), 0).sum(-1), 1e-300)
            qv = np.where(q >= mid[:, None], np.abs(p) * q, 0).sum(-1) / np.maximum(np.where(q >= mid[:, None], np.abs(p), 0).sum(-1), 1e-300)
            slope = slope + np.angle(v * u.conj()) / np.maximum(qv - qu, 1)
        off = np.angle((p * np.exp(-1j * slope[:, None] * q)).sum(-1))
        fit = off[:, None] + slope[:, None] * q
        w = 1 / (1 + power(b * np.exp(-1j * fit) - a) / s)
    return off, slope


def align_phases(a, method="robust", **kw):
    """repeats with the bulk phase of each A-line removed, each against the mean of those before it"""
    out = [a[0]]
    ref = a[0]
    for n in range(1, len(a)):
        if method == "none":
            out.append(a[n])
            continue
        if method == "line":
            off, slope = bulk_line(ref, a[n], **kw)
            b = a[n] * np.exp(-1j * (off[:, None] + slope[:, None] * np.arange(a.shape[-1])))
        else:
            b = a[n] * np.exp(-1j * bulk_phase(ref, a[n], method, **kw))[:, None]
        out.append(b)
        ref = np.mean(out, 0)
    return np.array(out)


# -------------------------------------------------------------- angiography
def bands(a, m=4, width=None):
    """m sub-bands of the spectrum of A-scans: Gaussian, centres (j + 1/2) / m of the band, full width at half maximum
    `width` (of the band, default 1 / m), unit energy at white spectra: [m][..][bins]"""
    D = a.shape[-1]
    N = 2 * D
    y = np.fft.ifft(a, n=N, axis=-1)
    f = np.arange(N) / N
    out = []
    for j in range(m):
        g = np.exp(-4 * np.log(2) * ((f - (j + 0.5) / m) / (width or 1 / m)) ** 2)
        out.append(np.fft.fft(y * g, axis=-1)[..., :D] / np.sqrt(np.mean(g ** 2)))
    return np.array(out)


def speckle_variance(a, lines=1, bins=1, log=False):
    """mean of (A_n - mean A)^2 / N over the window; log: of 10 log10 power.  N = 1: 0"""
    A = 10 * np.log10(np.maximum(power(a), 1e-20)) if log else np.abs(a)
    return box(A.var(0), lines, bins)


def speckle_contrast(a, lines=1, bins=1):
    """variance over squared mean of the amplitudes"""
    A = np.abs(a)
    m = box(A.mean(0) ** 2, lines, bins)
    return np.where(m > 0, box(A.var(0), lines, bins) / np.where(m > 0, m, 1), 0)


def amplitude_decorrelation(a, lines=1, bins=1):
    """1 - mean over pairs of W[A_n A_n+1] / W[(A_n^2 + A_n+1^2) / 2]: 0 .. 1; 0 where there is no signal"""
    A = np.abs(a)
    s = 0
    for n in range(len(A) - 1):
        d = box((A[n] ** 2 + A[n + 1] ** 2) / 2, lines, bins)
        s = s + np.where(d > 0, box(A[n] * A[n + 1], lines, bins) / np.where(d > 0, d, 1), 1)
    return 1 - s / max(len(A) - 1, 1) if len(A) > 1 else np.zeros(A.shape[1:])


def ssada(a, m=4, lines=1, bins=1, width=None):
    """mean of the amplitude decorrelation over m sub-bands"""
    s = bands(a, m, width)
    return np.mean([amplitude_decorrelation(b, lines, bins) for b in s], 0)


def phase_variance(a, lines=1, bins=1):
    """circular variance 1 - |mean over pairs of e^i(phi_n+1 - phi_n)| over the window, unit weights"""
    c = a[1:] * a[:-1].conj()
    c = c / np.maximum(np.abs(c), 1e-300)
    return 1 - np.abs(box(c.mean(0), lines, bins))


def complex_difference(a, lines=1, bins=1):
    """power: W[ sum over pairs |a_n+1 - a_n|^2 / (2 (N - 1)) ].  Noise alone gives its power"""
    return box(np.mean(power(a[1:] - a[:-1]), 0) / 2, lines, bins) if len(a) > 1 else np.zeros(a.shape[1:])


def residual(a, lines=1, bins=1):
    """power: W[ sum_n |a_n - mean a|^2 / (N - 1) ], the mean of |a_n - a_m|^2 / 2 over all pairs"""
    return box(np.sum(power(a - a.mean(0)), 0) / (len(a) - 1), lines, bins) if len(a) > 1 else np.zeros(a.shape[1:])


class Running:
    """R and mean power of repeats that come one by one, 5 floats a value: for single precision, in which the sums of a
    and |a|^2 lose R where still tissue is 50 dB over the noise"""

    def __init__(self):
        self.n, self.mean, self.q, self.p = 0, 0, 0, 0

    def add(self, a):
        self.n += 1
        d = a - self.mean
        self.mean = self.mean + d / a.real.dtype.type(self.n)
        e = a - self.mean
        self.q = self.q + d.real * e.real + d.imag * e.imag
        self.p = self.p + (power(a) - self.p) / a.real.dtype.type(self.n)

    def residual(self):
        return self.q / self.q.dtype.type(max(self.n - 1, 1))


def eigen_filter(a, remove=1, lines=1, bins=1, group=0):
    """power left of the repeats without their `remove` strongest eigenvectors, over N - remove.  The covariance is of
    all pixels of `group` A-lines (0: of the B-scan)"""
    N, L, D = a.shape
    g = group or L
    out = np.zeros((L, D))
    for i in range(0, L, g):
        x = a[:, i: i + g].reshape(N, -1)
        e, v = np.linalg.eigh(x @ x.conj().T)
        v = v[:, : N - remove]                                # the weak ones
        out[i: i + g] = np.sum(power(v.conj().T @ x), 0).reshape(-1, D) / (N - remove)
    return box(out, lines, bins)


def cdv(a, lines=1, bins=1):
    """complex differential variance (Biomed. Opt. Express 5, 3822): 1 - sum |W[a_n+1 a_n*]| / sum W[(|a_n|^2 + |a_n+1|^2) / 2]"""
    n = sum(np.abs(box(a[k + 1] * a[k].conj(), lines, bins)) for k in range(len(a) - 1))
    d = sum(box((power(a[k + 1]) + power(a[k])) / 2, lines, bins) for k in range(len(a) - 1))
    return np.where(d > 0, 1 - n / np.where(d > 0, d, 1), 0)


def complex_decorrelation(a, lines=1, bins=1):
    """residual over power: R / W[mean |a|^2]: 0 still, 1 + 1/(N-1).. for noise it is about 1; 0 without signal"""
    R, I = residual(a, lines, bins), box(power(a).mean(0), lines, bins)
    return np.where(I > 0, R / np.where(I > 0, I, 1), 0)


def noise_immune(a, noise, lines=1, bins=1, floor=0.5):
    """decorrelation of the signal alone (as Makita 2016 and Braaf 2018 do): (R - noise) / (I - noise), clamped to 0 .. 1,
    0 where I - noise < floor noise"""
    R, I = residual(a, lines, bins), box(power(a).mean(0), lines, bins)
    s = I - noise
    return np.where(s > floor * noise, np.clip((R - noise) / np.where(s > 0, s, 1), 0, 1), 0)


def id_mask(a, noise, lines=1, bins=1, slope=1.3):
    """inverse-SNR decorrelation (Huang 2019): D where D > slope iSNR, else 0; iSNR = noise / W[I]"""
    D, I = complex_decorrelation(a, lines, bins), box(power(a).mean(0), lines, bins)
    return np.where(D * I > slope * noise, D, 0)


def still_decorrelation(R, I, noise, least=10.0, quantile=0.5):
    """how much still tissue decorrelates: quantile of (R - noise) / I where I > least noise; at least 0"""
    m = I > least * noise
    return max(0.0, np.quantile((R[m] - noise) / I[m], quantile)) if m.any() else 0.0


def flow_index(a, noise, eps=0.01, lines=1, bins=1, auto=True, R=None):
    """F = R / (noise + e I): 1 for noise and for still tissue, more for motion.  e = max (eps, still_decorrelation)"""
    R = residual(a, lines, bins) if R is None else R
    I = box(power(a).mean(0), lines, bins)
    e = max(eps, still_decorrelation(R, I, noise)) if auto else eps
    d = noise + e * I
    return np.where(d > 0, R / np.where(d > 0, d, 1), 0)


# ------------------------------------------------------------- registration
def cross_lags(a, b, most, pad=4):
    """|sum_q b[q + u] a[q]*|^2 per A-line for u = -most .. most in steps of 1 / pad bin: [lines][2 most pad + 1]"""
    D = a.shape[-1]
    n = 2 * D
    X = np.fft.ifft(b, n=n, axis=-1) * np.fft.ifft(a, n=n, axis=-1).conj()
    m = np.arange(n)
    u = np.arange(-most * pad, most * pad + 1) / pad
    E = np.exp(-2j * PI * np.outer(u, m) / n)
    return power(X @ E.T) * float(n) ** 2, u


def peak(s, u):
    """place of the largest of s, refined by a parabola through its logarithm"""
    j = int(np.clip(np.argmax(s), 1, len(s) - 2))
    l, c, r = np.log(np.maximum(s[j - 1: j + 2], 1e-300))
    d = 0.5 * (l - r) / (l - 2 * c + r) if l - 2 * c + r < 0 else 0.0
    return u[j] + np.clip(d, -1, 1) * (u[1] - u[0])


def register_axial(a, b, group=16, most=8, pad=4):
    """how many bins deeper b is than a, per A-line: the peak of the sum over `group` A-lines of the squared magnitude of
    their complex correlation (each A-line may have any phase), linear between the middles of groups"""
    s, u = cross_lags(a, b, most, pad)
    L = len(a)
    g = max(1, round(L / group))
    edge = np.linspace(0, L, g + 1).astype(int)
    mid = (edge[:-1] + edge[1:] - 1) / 2
    v = np.array([peak(s[i:j].sum(0), u) for i, j in zip(edge[:-1], edge[1:])])
    return np.interp(np.arange(L), mid, v)


def register_lateral(a, b, shift, most=4):
    """how many A-lines further right b is than a: coherence summed over A-lines, with the axial shift known (bins,
    per A-line); Gaussian peak through three"""
    b = shift_axial(b, -shift)
    L = len(a)
    j = np.arange(-most, most + 1)
    s = np.zeros(len(j))
    for k in j:
        x = slice(max(0, -k), min(L, L - k))
        y = slice(max(0, k), min(L, L + k))
        c = np.sum(b[y] * a[x].conj(), -1)
        s[k + most] = np.sum(power(c)) / np.sum(power(a[x]).sum(-1) * power(b[y]).sum(-1))
    return peak(s, j.astype(float))


def shift_axial(a, bins):
    """A-scans moved deeper by `bins` (scalar or per A-line), without a change of phase at the middle of the band"""
    D = a.shape[-1]
    n = 2 * D
    y = np.fft.ifft(a, n=n, axis=-1)
    f = (np.arange(n) - n / 2) / n
    s = np.broadcast_to(np.asarray(bins, float), a.shape[:-1])
    y = y * np.exp(2j * PI * f * s[..., None])
    return np.fft.fft(y, axis=-1)[..., :D]


def shift_lateral(a, lines):
    """B-scan moved right by `lines`, cubic (Catmull-Rom) between A-lines of the same bin; edges repeated"""
    L = len(a)
    p = np.arange(L) - lines
    i = np.floor(p).astype(int)
    t = (p - i)[:, None]
    g = lambda k: a[np.clip(i + k, 0, L - 1)]
    return (g(0) + 0.5 * t * (g(1) - g(-1)) + t ** 2 * (g(-1) - 2.5 * g(0) + 2 * g(1) - 0.5 * g(2))
            + t ** 3 * (0.5 * (g(2) - g(-1)) + 1.5 * (g(0) - g(1))))


def register_set(a, group=16, most=8, lateral=True, method="robust", **kw):
    """repeats moved onto the first: axial shift by groups of A-lines, lateral shift of the B-scan, bulk phase of each
    A-line; each is found against the mean of those before it"""
    out, ref, moved = [a[0]], a[0], [(np.zeros(len(a[0])), 0.0)]
    for n in range(1, len(a)):
        b = a[n]
        s = register_axial(ref, b, group, most)
        l = register_lateral(ref, b, s) if lateral else 0.0
        b = shift_axial(b, -s)
        if abs(l) > 0.05:
            b = b * np.exp(-1j * bulk_phase(ref, b, "mean"))[:, None]
            b = shift_lateral(b, -l)
        if method != "none":
            b = align_phases(np.array([ref, b]), method, **kw)[1]
        out.append(b)
        ref = np.mean(out, 0)
        moved.append((s, l))
    return np.array(out), moved


def flow_value(a, noise, eps=0.01, lines=1, bins=1, auto=True):
    """what is shown: max (0, R - d)^2 / (R W[I]), d = noise + e W[I], clamped to 0 .. 1: the part of the power that
    changes, less what noise and still tissue change, times 1 - 1 / F.  0 for noise, for still tissue and for nothing"""
    R = residual(a, lines, bins)
    I = box(power(a).mean(0), lines, bins)
    e = max(eps, still_decorrelation(R, I, noise)) if auto else eps
    x = np.maximum(0, R - noise - e * I)
    return np.minimum(1, np.where(x > 0, x * x / np.where(x > 0, R * I, 1), 0))


def noise_of_residual(a, bands=8):
    """mean power of the noise from registered repeats: per band of depth the median of R of single values, over the
    median of a gamma variable of shape N - 1 and mean 1; the lowest of the bands.  Needs no depth without tissue"""
    from scipy.stats import gamma
    R = residual(a)
    n = R.shape[-1] // bands
    c = gamma.median(len(a) - 1) / (len(a) - 1)
    return min(np.median(R[:, i * n: (i + 1) * n]) for i in range(bands)) / c


def lag_decorrelation(a, noise, lag=1, lines=3, bins=3):
    """1 - Re W[a_n+lag a_n*] / (W[I] - noise), mean over n, of registered repeats: 0 still .. 1; 0 where I < 2 noise"""
    c = box(np.mean((a[lag:] * a[:-lag].conj()).real, 0), lines, bins)
    s = box(power(a).mean(0), lines, bins) - noise
    return np.where(s > noise, 1 - c / np.where(s > 0, s, 1), 0)


def reject(a, limit=0.5, noise=0.0):
    """bool per repeat: kept.  The decorrelation of a repeat with each other one is 1 - |sum c| of phase-aligned fields
    where the power is over 10 noise; one whose median with the others is over `limit` is left out, 2 are always kept"""
    N = len(a)
    m = power(a).mean(0) > 10 * noise
    x = a[:, m]
    g = np.abs(x @ x.conj().T) / np.sqrt(np.outer(power(x).sum(1), power(x).sum(1)))
    d = 1 - np.array([np.median(np.delete(g[i], i)) for i in range(N)])
    keep = d <= limit
    if keep.sum() < 2:
        keep = np.zeros(N, bool)
        g2 = g - np.eye(N) * 2
        keep[list(np.unravel_index(np.argmax(g2), g2.shape))] = True
    return keep


def flow_image(F, lo=1.0, hi=13.0):
    """grey 0 .. 255 of 10 log10 F: lo dB is black, hi dB white"""
    v = 10 * np.log10(np.maximum(F, 1e-6))
    return np.clip(np.rint(255 * (v - lo) / (hi - lo)), 0, 255).astype(np.uint8)


# ------------------------------------------------- en face and what is below
def tail_removal(v, I=None, gap=4, keep=1.1, fall=0.0):
    """projection-resolved (Zhang 2016): v [lines][bins], >= 0, is kept where it is more than `keep` times the largest
    of those at least `gap` bins above it in its A-line, that one falling by e^-fall per bin below its place; else 0"""
    out = np.zeros_like(v)
    m = np.zeros(v.shape[:-1])
    f = np.exp(-fall)
    for q in range(v.shape[-1]):
        if q >= gap:
            m = np.maximum(m * f, v[..., q - gap])
        out[..., q] = np.where(v[..., q] > keep * m, v[..., q], 0)
    return out


def tail_soft(v, gap=4, share=0.7, fall=0.01):
    """v less `share` of the largest above it, which falls by e^-fall per bin; at least 0"""
    out = np.zeros_like(v)
    m = np.zeros(v.shape[:-1])
    f = np.exp(-fall)
    for q in range(v.shape[-1]):
        if q >= gap:
            m = np.maximum(m * f, v[..., q - gap])
        out[..., q] = np.maximum(0, v[..., q] - share * m)
    return out


def tail_runs(v, least=0.15, end=0.7, again=1.1, fall=0.008):
    """along depth: a vessel begins where v > max (least, again m), is left as it is while v >= end times its largest,
    and then leaves m = that largest, falling by e^-fall per bin; below it v less end m, at least 0, until one begins"""
    out = np.zeros_like(v)
    m, p = np.zeros(v.shape[:-1]), np.zeros(v.shape[:-1])
    inside = np.zeros(v.shape[:-1], bool)
    f = np.exp(-fall)
    for q in range(v.shape[-1]):
        x = v[..., q]
        m = m * f
        stay = inside & (x >= end * p)
        m = np.where(inside & ~stay, np.maximum(m, p), m)
        begin = ~stay & (x > np.maximum(least, again * m)) & ~inside
        p = np.where(begin, x, np.where(stay, np.maximum(p, x), p))
        inside = stay | begin
        out[..., q] = np.where(inside, x, np.maximum(0, x - end * m))
    return out


# ------------------------------------------------------------------ Doppler
def kasai(a, b, lines=5, bins=3, bulk=None):
    """W[b a*] and W[(|a|^2 + |b|^2) / 2]; b is taken after a: the next A-lines of a B-scan (a[:-1], a[1:]) or the next
    repeat.  bulk [lines]: phase to be taken off first.  The phase of the first is the Doppler phase, + is deeper"""
    c = b * a.conj()
    if bulk is not None:
        c = c * np.exp(-1j * bulk)[:, None]
    return box(c, lines, bins), box((power(a) + power(b)) / 2, lines, bins)


def mean_phase(a, b, lines=5, bins=3):
    """phase-resolved: mean of the phases themselves"""
    return box(np.angle(b * a.conj()), lines, bins)


def doppler_variance(c, p, noise=0.0):
    """1 - |W c| / (W p - noise), 0 .. 1: 1 where there is no signal"""
    s = p - noise
    return np.where(s > 0, np.clip(1 - np.abs(c) / np.where(s > 0, s, 1), 0, 1), 1)


def velocity(phase, lam, index, time, angle=0.0):
    """mm/s of a phase (rad) between two fields `time` s apart: lam um, angle between flow and beam in degrees"""
    return phase * lam / (4 * PI * index * time * np.cos(np.deg2rad(angle))) * 1e-3


def phase_sd(coherence, independent):
    """standard deviation of arg W[b a*] over so many independent values"""
    return np.sqrt((1 - coherence ** 2) / (2 * coherence ** 2 * independent))


def unwrap(phase, still):
    """least squares with free edges (Ghiglia and Romero 1994) by cosine transforms, made congruent with the wrapped
    phase; `still` (bool) counts as 0"""
    p = np.where(still, 0, phase)
    w = lambda v: np.angle(np.exp(1j * v))
    gx, gz = w(np.diff(p, axis=0)), w(np.diff(p, axis=1))
    d = np.zeros(p.shape)
    d[:-1] += gx
    d[1:] -= gx
    d[:, :-1] += gz
    d[:, 1:] -= gz
    h, l = p.shape
    e = 2 * np.cos(PI * np.arange(h) / h)[:, None] + 2 * np.cos(PI * np.arange(l) / l) - 4
    e[0, 0] = 1
    f = dctn(d, norm="ortho") / e
    f[0, 0] = 0
    u = idctn(f, norm="ortho")
    u -= np.median(u[still]) if still.any() else 0
    return p + 2 * PI * np.rint((u - p) / (2 * PI))


def unwrap_inwards(phase, still):
    """from still tissue (bool) into blood, ring by ring: each value takes the whole turns that bring it nearest to
    the mean of its neighbours that are done"""
    from collections import deque
    out, done = phase.copy(), still.copy()
    H, L = phase.shape
    near = ((-1, 0), (1, 0), (0, -1), (0, 1))
    todo = deque()
    seen = still.copy()
    for i, j in zip(*np.nonzero(still)):
        for di, dj in near:
            y, x = i + di, j + dj
            if 0 <= y < H and 0 <= x < L and not seen[y, x]:
                seen[y, x] = True
                todo.append((y, x))
    while todo:
        i, j = todo.popleft()
        v = [out[i + di, j + dj] for di, dj in near if 0 <= i + di < H and 0 <= j + dj < L and done[i + di, j + dj]]
        m = np.mean(v)
        out[i, j] += 2 * PI * np.rint((m - out[i, j]) / (2 * PI))
        done[i, j] = True
        for di, dj in near:
            y, x = i + di, j + dj
            if 0 <= y < H and 0 <= x < L and not seen[y, x]:
                seen[y, x] = True
                todo.append((y, x))
    return out


# ------------------------------------------------- motion of images, volumes
def phase_correlation(a, b, most=16, power_=1.0):
    """shift of image b after image a along both axes (sub-pixel): peak of the inverse FFT of B A* / |B A*|^power_
    of images less their mean under a Hann window, refined by parabolas"""
    w = np.outer(np.hanning(a.shape[0]), np.hanning(a.shape[1]))
    A, B = (np.fft.fft2((v - v.mean()) * w) for v in (a, b))
    X = B * A.conj()
    c = np.fft.ifft2(X / np.maximum(np.abs(X), 1e-12 * np.abs(X).max()) ** power_).real
    m0, m1 = min(most, a.shape[0] // 2 - 1), min(most, a.shape[1] // 2 - 1)
    c = np.roll(c, (m0, m1), (0, 1))[: 2 * m0 + 1, : 2 * m1 + 1]
    i, j = np.unravel_index(np.argmax(c[1:-1, 1:-1]), (2 * m0 - 1, 2 * m1 - 1))
    i, j = i + 1, j + 1
    f = lambda l, m, r: 0.5 * (l - r) / (l - 2 * m + r) if l - 2 * m + r < 0 else 0.0
    return i - m0 + f(c[i - 1, j], c[i, j], c[i + 1, j]), j - m1 + f(c[i, j - 1], c[i, j], c[i, j + 1])


def strip_shifts(ref, image, height=16, step=8, most=(12, 12)):
    """shift of strips of `height` rows of an en face image against ref: largest correlation coefficient over all whole
    shifts, refined by parabolas: [(middle row, rows, columns, coefficient)]"""
    H, W = ref.shape
    out = []
    for r0 in range(0, H - height + 1, step):
        s = image[r0: r0 + height, most[1]: W - most[1]]
        s = s - s.mean()
        ns = np.sqrt(np.sum(s * s)) + 1e-300
        C = np.full((2 * most[0] + 1, 2 * most[1] + 1), -1.0)
        for dy in range(-most[0], most[0] + 1):
            a0 = r0 - dy
            if a0 < 0 or a0 + height > H:
                continue
            R = ref[a0: a0 + height]
            wv = np.lib.stride_tricks.sliding_window_view(R, s.shape[1], axis=1)      # rows, shifts, columns
            num = np.einsum("rsc,rc->s", wv, s)
            k = height * s.shape[1]
            mean = wv.sum((0, 2)) / k
            var = np.einsum("rsc,rsc->s", wv, wv) - k * mean ** 2
            C[dy + most[0]] = (num / (ns * np.sqrt(np.maximum(var, 1e-300))))[::-1]
        i, j = np.unravel_index(np.argmax(C), C.shape)
        f = lambda l, m, r: 0.5 * (l - r) / (l - 2 * m + r) if l - 2 * m + r < 0 else 0.0
        di = f(*C[i - 1: i + 2, j]) if 0 < i < C.shape[0] - 1 else 0.0
        dj = f(*C[i, j - 1: j + 2]) if 0 < j < C.shape[1] - 1 else 0.0
        out.append((r0 + (height - 1) / 2, i - most[0] + di, j - most[1] + dj, C[i, j]))
    return np.array(out)


def orthogonal(d, weight=None, passes=20):
    """motion of two volumes of the same area, X scanned along rows and Y along columns: d [y][x] = displacement of X
    against Y at each place = m_X(y) - m_Y(x).  Weighted least squares by turns; mean of m_X is 0 by choice"""
    w = np.ones(d.shape) if weight is None else weight
    mx, my = np.zeros(d.shape[0]), np.zeros(d.shape[1])
    for _ in range(passes if weight is not None else 1):
        mx = np.sum(w * (d + my), 1) / np.maximum(w.sum(1), 1e-12)
        my = -np.sum(w * (d - mx[:, None]), 0) / np.maximum(w.sum(0), 1e-12)
    c = mx.mean()
    return mx - c, my - c


# ----------------------------------------------------- focus and aberrations
def frequencies(ny, nx, dy, dx):
    """angular spatial frequencies (rad/um) of an en face plane, FFT order"""
    return 2 * PI * np.fft.fftfreq(ny, dy)[:, None], 2 * PI * np.fft.fftfreq(nx, dx)[None]


def refocus(plane, dz, k, dy, dx):
    """en face field that lies dz um (of tissue) below the focus, brought into it: FFT, exp (+ i dz (2 k - (4 k^2 -
    q^2)^1/2)), inverse FFT; k wavenumber in tissue at the centre of the band.  Double pass: focus 0, q^2 / (4 k)"""
    qy, qx = frequencies(*plane.shape[-2:], dy, dx)
    q2 = np.minimum(qy ** 2 + qx ** 2, 4 * k * k)
    return np.fft.ifft2(np.fft.fft2(plane) * np.exp(1j * dz * (2 * k - np.sqrt(4 * k * k - q2))))


def isam(volume_k, kn, z0, dy, dx):
    """spectra [y][x][n] (analytic, k uniform) with the zero of depth moved to the focus z0 (um): resampled from k to
    (kappa^2 + q^2)^1/2 / 2, kappa = 2 kn (linear phase kept), cubic; inverse FFT in y and x"""
    from scipy.interpolate import CubicSpline
    qy, qx = frequencies(*volume_k.shape[:2], dy, dx)
    F = np.fft.fft2(volume_k * np.exp(-2j * kn * z0), axes=(0, 1))
    out = np.zeros_like(F)
    q2 = qy ** 2 + qx ** 2
    for i in range(F.shape[0]):
        for j in range(F.shape[1]):
            if q2[i, j] < (2 * kn[0]) ** 2:
                want = 0.5 * np.sqrt((2 * kn) ** 2 + q2[i, j])
                f = CubicSpline(kn, F[i, j], extrapolate=False)(want)
                out[i, j] = np.nan_to_num(f)
    return np.fft.ifft2(out * np.exp(2j * kn * z0), axes=(0, 1))


def sharpness(plane):
    """sum I^2 / (sum I)^2, larger is sharper"""
    I = power(plane)
    return np.sum(I ** 2) / max(np.sum(I) ** 2, 1e-300)


def pupil_modes(ny, nx, dy, dx, q0):
    """defocus, two astigmatisms, two comas, spherical on q / q0"""
    qy, qx = frequencies(ny, nx, dy, dx)
    y, x = qy / q0 + 0 * qx, qx / q0 + 0 * qy
    r2 = x * x + y * y
    return np.array([r2, x * x - y * y, 2 * x * y, (3 * r2 - 2) * x, (3 * r2 - 2) * y, 6 * r2 * r2 - 6 * r2])


def correct(plane, modes, c):
    return np.fft.ifft2(np.fft.fft2(plane) * np.exp(1j * np.tensordot(c, modes, 1)))


def autofocus(planes, modes, span=40.0, rounds=3, steps=9):
    """coefficients (rad) with the largest mean sharpness of `planes` [m][y][x]: mode after mode, golden grid of `steps`
    over +-span that shrinks to a quarter each round; then a parabola"""
    F = np.fft.fft2(planes)
    c = np.zeros(len(modes))
    value = lambda c: np.mean([sharpness(np.fft.ifft2(f * np.exp(1j * np.tensordot(c, modes, 1)))) for f in F])
    width = np.full(len(modes), span)
    width[1:] = span / 4
    for r in range(rounds):
        for m in range(len(modes)):
            g = np.linspace(-width[m], width[m], steps)
            v = []
            for x in g:
                t = c.copy()
                t[m] += x
                v.append(value(t))
            j = int(np.clip(np.argmax(v), 1, steps - 2))
            l, q, h = v[j - 1: j + 2]
            d = 0.5 * (l - h) / (l - 2 * q + h) if l - 2 * q + h < 0 else 0.0
            c[m] += g[j] + np.clip(d, -1, 1) * (g[1] - g[0])
        width /= 4
    return c


# --------------------------------------------------------------- full range
def full_range(spectra, beta=0.25, width=None):
    """real spectra [lines][N] whose phase grows by 2 pi beta from A-line to A-line -> analytic spectra: FFT over the
    A-lines, frequencies u in 0 .. 1/2 (sign of beta) kept, doubled; width: Gaussian of that full width at half maximum
    around beta instead.  FFT over N then gives N bins: q >= 0 below, q < 0 above the zero delay"""
    L = spectra.shape[0]
    u = np.fft.fftfreq(L)
    if width:
        d = (u - beta + 0.5) % 1 - 0.5
        H = np.exp(-4 * np.log(2) * (d / width) ** 2)
    else:
        H = np.where(u * np.sign(beta) > 0, 1.0, 0.0)
        H[L // 2 if L % 2 == 0 else 0] = 0.0
    return np.fft.ifft(np.fft.fft(spectra, axis=0) * (2 * H)[:, None], axis=0)


# ---------------------------------------------------------- dynamic contrast
def hsv_to_rgb(h, s, v):
    """h, s, v 0 .. 1"""
    i = np.floor(h * 6)
    f = h * 6 - i
    p, q, t = v * (1 - s), v * (1 - f * s), v * (1 - (1 - f) * s)
    i = i.astype(int) % 6
    return np.stack([np.choose(i, c) for c in ((v, q, p, p, t, v), (t, v, v, q, p, p), (p, p, t, v, v, q))], -1)


def dynamic_spectrum(x, rate, noise=0.0, window=True):
    """x [T][..] real signal over time: power of its fluctuation without the noise floor, mean frequency and bandwidth
    (Hz): PSD of x - mean (Hann, one sided), less `noise` in every bin, at least 0; moments over 0 < f <= rate / 2"""
    T = len(x)
    w = np.hanning(T + 2)[1:-1] if window else np.ones(T)
    w = w / np.sqrt(np.mean(w ** 2))
    y = x - x.mean(0)
    P = power(np.fft.rfft(y * w.reshape((-1,) + (1,) * (x.ndim - 1)), axis=0))[1:] * 2 / T ** 2
    f = np.fft.rfftfreq(T, 1 / rate)[1:].reshape((-1,) + (1,) * (x.ndim - 1))
    P = np.maximum(P - 2 * noise / T, 0)
    s = P.sum(0)
    m = np.where(s > 0, (P * f).sum(0) / np.where(s > 0, s, 1), 0)
    v = np.where(s > 0, (P * f * f).sum(0) / np.where(s > 0, s, 1), 0) - m * m
    return s, m, np.sqrt(np.maximum(v, 0))


def dynamic_differences(x, rate, noise=0.0):
    """the same from sums that need no memory of the past but two frames: variance V0 of x, mean square V1 of x_t - x_t-1,
    less noise and 2 noise; root mean square frequency: (1 - cos) = V1 / (2 V0) -> rate arccos (1 - V1 / (2 V0)) / 2 pi"""
    V0 = np.maximum(x.var(0) * len(x) / (len(x) - 1) - noise, 0)
    V1 = np.maximum(np.mean(np.diff(x, axis=0) ** 2, 0) - 2 * noise, 0)
    r = np.where(V0 > 0, np.clip(1 - V1 / np.where(V0 > 0, 2 * V0, 1), -1, 1), 1)
    return V0, rate * np.arccos(r) / (2 * PI), r


class Dynamic:
    """running form of dynamic_differences: exponential means over about `frames` frames; state: 4 floats a value"""

    def __init__(self, frames=32):
        self.g, self.n, self.m = 1 / frames, 0, None

    def add(self, x):
        if self.m is None:
            self.m, self.q, self.d, self.last = x.copy(), x * x, np.zeros_like(x), x.copy()
        g = max(self.g, 1 / (self.n + 1))
        self.m += g * (x - self.m)
        self.q += g * (x * x - self.q)
        if self.n:
            gd = max(self.g, 1 / self.n)
            self.d += gd * ((x - self.last) ** 2 - self.d)
        self.last = x.copy()
        self.n += 1
        return self.q - self.m ** 2, self.d
