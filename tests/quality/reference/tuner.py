# SPDX-License-Identifier: LGPL-2.1-or-later
"""float64 reference of the tuner of the mirrors' delay (docs/scanning.md), and the expected
values of tests/unit/test-scan-tuner.c, which makes the same numbers:

    python3 tests/quality/reference/tuner.py
"""
import numpy as np

PI = np.pi
LINES, DEPTHS, SPOT, PERIOD, START = 512, 64, 4.0, 1024.0, 300.0


# ---------------------------------------------------------------- the delay
def pair_shift(a, b, up=16, edge=0.05):
    """By how many lines b [lines][depths] lies after a: (shift, correlation)."""
    n = len(a)
    e = int(edge * n)
    a, b = a[e:n - e] - a[e:n - e].mean(0), b[e:n - e] - b[e:n - e].mean(0)
    n = len(a)
    m = 1 << int(np.ceil(np.log2(2 * n)))
    c = np.fft.irfft((np.fft.rfft(b, m, 0) * np.conj(np.fft.rfft(a, m, 0))).sum(1), m)
    reach = min(max(64, n // 4), n - 8)
    lags = np.arange(-reach, reach + 1)
    ea = np.concatenate([[0], np.cumsum((a * a).sum(1))])
    eb = np.concatenate([[0], np.cumsum((b * b).sum(1))])
    i0, i1 = np.maximum(0, -lags), np.minimum(n, n - lags)
    r = c[lags] / np.sqrt((ea[i1] - ea[i0]) * (eb[i1 + lags] - eb[i0 + lags]) + 1e-300)
    k = int(np.argmax(r))
    if k in (0, len(r) - 1):
        return float(lags[k]), float(r[k])
    q = r[max(0, k - 16):k + 17]
    at = k - max(0, k - 16)
    ramp = np.linspace(q[0], q[-1], len(q))
    f = np.fft.rfft(q - ramp)
    z = np.fft.irfft(np.concatenate([f, np.zeros(len(q) * up // 2 + 1 - len(f))]) * up, len(q) * up)
    z = z + np.interp(np.arange(len(z)) / up, np.arange(len(q)), ramp)
    lo, hi = (at - 1) * up, (at + 1) * up
    j = lo + int(np.argmax(z[lo:hi + 1]))
    w = max(2, up // 2)
    t = np.arange(-w, w + 1)
    j = min(max(j, w), len(z) - w - 1)
    p2, p1, _ = np.polyfit(t, z[j - w:j + w + 1], 2)
    d = -p1 / (2 * p2) if p2 < 0 else 0.0
    return float(lags[k] - at + (j + d) / up), float(r[k])


def delay(amplitudes, reverse):
    """Delay in lines of amplitudes [sweeps][lines][depths] in the order of the samples:
    (delay, its standard error, mean correlation)."""
    v = [im[::-1] if r else im for im, r in zip(amplitudes, reverse)]
    s, q = [], []
    for i in range(len(v) - 1):
        if reverse[i] == reverse[i + 1]:
            continue
        d, r = pair_shift(v[i], v[i + 1])
        s.append(-d if not reverse[i] else d)
        q.append(r)
    s = np.array(s) / 2
    if len(s) > 1:
        pairs = (s[:-1] + s[1:]) / 2
        error = pairs.std() / np.sqrt(max(1, len(pairs) / 2)) if len(pairs) > 1 else np.nan
        return pairs.mean(), error, np.mean(q)
    return s.mean(), np.nan, np.mean(q)


# ---------------------------------------------------------------- the numbers
def uniform(first, count):
    """Numbers first .. first + count - 1 of a sequence in (0, 1) (splitmix64)."""
    z = (np.arange(first + 1, first + 1 + count, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15))
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    z = z ^ (z >> np.uint64(31))
    return ((z >> np.uint64(11)).astype(float) + 0.5) / 2.0 ** 53


def normal(first, count):
    """Complex ones, of variance 2, of two numbers each."""
    u = uniform(2 * first, 2 * count)
    return np.sqrt(-2 * np.log(u[::2])) * np.exp(2j * PI * u[1::2])


def make_tissue(seed):
    """Complex field of x in lines, seen with a spot of SPOT lines."""
    sigma = SPOT / 2.3548
    most = int(np.ceil(PERIOD * 3.5 / (2 * PI * sigma)))
    k = np.arange(-most, most + 1)
    w = np.exp(-(2 * PI * k / PERIOD) ** 2 * sigma ** 2 / 2)
    a = normal(seed << 32, len(k) * DEPTHS).reshape(len(k), DEPTHS) * w[:, None] / np.sqrt(2 * (w ** 2).sum())
    z = np.arange(DEPTHS) / DEPTHS
    layers = 0.05 + 1.5 * np.exp(-((z - 0.25) / 0.03) ** 2) + 0.8 * np.exp(-((z - 0.6) / 0.1) ** 2)

    def field(x):
        s = 1 + 0.3 * sum(np.sin(2 * PI * x * f / PERIOD + f) for f in (5, 9, 14, 22, 31, 47))
        return (np.exp(2j * PI * np.outer(x, k) / PERIOD) @ a) * (np.maximum(s, 0.1)[:, None] * layers)
    field.norm = np.sqrt(np.mean(np.abs(field(np.arange(0.0, LINES, 4))) ** 2))
    return field


def sweep(field, x, snr, stream):
    """Amplitudes at x, with noise of which the signal has snr dB on the average."""
    f = field(x) / field.norm
    noise = normal(stream << 32, f.size).reshape(f.shape)
    return np.abs(f + 10 ** (-snr / 20) / np.sqrt(2) * noise).astype(np.float32).astype(float)


def sweeps(seed, snr, count, late, drift=0.0):
    field, i, out = make_tissue(seed), np.arange(LINES), []
    for q in range(count):
        x = (LINES - 1 - i + late if q & 1 else i - late) + START + drift * q
        out.append(sweep(field, x, snr, 1000 + 100 * seed + q))
    return np.array(out), [bool(q & 1) for q in range(count)]


CASES = ((1, 20, 2, 12.7, 0), (1, 10, 2, 12.7, 0), (1, 0, 2, 12.7, 0), (2, 20, 8, 12.7, 0), (2, 10, 8, 12.7, 0),
         (2, 0, 8, 12.7, 0), (3, 10, 8, -7.3, 3), (4, 10, 3, 0.25, 0), (5, 10, 4, 30.2, 0))


def main():
    for case in CASES:
        seed, snr, count, late, drift = case
        d, e, q = delay(*sweeps(seed, snr, count, late, drift))
        print("  { %d, %d, %d, %g, %g, %.9f, %s, %.9f }," % (
            *case, d, "NAN" if np.isnan(e) else "%.9f" % e, q))


if __name__ == "__main__":
    main()
