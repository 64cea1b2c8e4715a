/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "oct-test-reference.h"

#define K_INDEX "calibration=@/k-index-101.csv"
#define K_INDEX_128 "calibration=@/k-index-128.csv"
#define K_INDEX_64 "calibration=@/k-index-64.csv"
#define K_INDEX_33 "calibration=@/k-index-33.csv"
#define WAVELENGTH "calibration=@/wavelength-101.csv"
#define MASK "mask=file mask-file=@/mask-101.txt"
#define NOISE "iterations=8 noise=80 " MASK " " WAVELENGTH
#define GRAY16 " ! capsfilter caps=video/x-raw,format=GRAY16_LE"
#define NV12 " ! capsfilter caps=video/x-raw,format=NV12"

static const OctTestRow rows[] = {
  { "octdcsub-bscan-u8", "octdcsub", "u8" },
  { "octdcsub-none-u8", "octdcsub mode=none", "u8" },
  { "octdcsub-bscan-u16", "octdcsub", "u16" },
  { "octdcsub-none-u16", "octdcsub mode=none", "u16" },
  { "octdcsub-bscan-f32", "octdcsub", "f32" },
  { "octdcsub-none-f32", "octdcsub mode=none", "f32" },
  { "octdcsub-one-line", "octdcsub", "u16-one-line" },
  { "octdcsub-stored", "octdcsub mode=background " K_INDEX, "u16" },
  { "octdcsub-file", "octdcsub mode=background background=@/u16.npy", "u8" },
  { "octdcsub-running", "octdcsub mode=running running-weight=0.25",
      "u16-bscans", .bscans = 4 },
  { "octdcsub-median-u8", "octdcsub mode=median", "u8" },
  { "octdcsub-median-u16", "octdcsub mode=median", "u16" },
  { "octdcsub-median-f32", "octdcsub mode=median", "f32" },
  { "octdcsub-a-line", "octdcsub mode=a-line", "u16" },
  { "octdcsub-a-line-one-line", "octdcsub mode=a-line", "u16-one-line" },
  { "octdcsub-a-line-f32", "octdcsub mode=a-line", "f32" },
  { "octdcsub-high-pass-u8", "octdcsub mode=high-pass high-pass-lines=5",
      "u8" },
  { "octdcsub-high-pass-u16", "octdcsub mode=high-pass", "u16" },
  { "octdcsub-high-pass-f32", "octdcsub mode=high-pass high-pass-lines=3",
      "f32" },
  { "octdcsub-scaled", "octdcsub mode=background-scaled " K_INDEX, "u16" },
  { "octdcsub-scaled-file",
      "octdcsub mode=background-scaled background=@/u16.npy", "u16" },
  { "octdcsub-fixed-pattern", "octdcsub mode=fixed-pattern", "u16" },
  { "octdcsub-fixed-pattern-scaled", "octdcsub mode=fixed-pattern-scaled",
      "u16" },
  { "octkresample-linear-101-1",
      "octkresample method=linear upsample=1 " K_INDEX, "fringes-5x101" },
  { "octkresample-linear-101-2",
      "octkresample method=linear upsample=2 " K_INDEX, "fringes-5x101" },
  { "octkresample-cubic-101-1", "octkresample method=cubic upsample=1 " K_INDEX,
      "fringes-5x101" },
  { "octkresample-cubic-101-2", "octkresample method=cubic upsample=2 " K_INDEX,
      "fringes-5x101" },
  { "octkresample-lanczos-101-1",
      "octkresample method=lanczos upsample=1 " K_INDEX, "fringes-5x101" },
  { "octkresample-lanczos-101-2",
      "octkresample method=lanczos upsample=2 " K_INDEX, "fringes-5x101" },
  { "octkresample-linear-128-1",
      "octkresample method=linear upsample=1 " K_INDEX_128, "fringes-4x128" },
  { "octkresample-linear-128-2",
      "octkresample method=linear upsample=2 " K_INDEX_128, "fringes-4x128" },
  { "octkresample-cubic-128-1",
      "octkresample method=cubic upsample=1 " K_INDEX_128, "fringes-4x128" },
  { "octkresample-cubic-128-2",
      "octkresample method=cubic upsample=2 " K_INDEX_128, "fringes-4x128" },
  { "octkresample-lanczos-128-1",
      "octkresample method=lanczos upsample=1 " K_INDEX_128, "fringes-4x128" },
  { "octkresample-lanczos-128-2",
      "octkresample method=lanczos upsample=2 " K_INDEX_128, "fringes-4x128" },
  { "octkresample-wavelength", "octkresample " WAVELENGTH, "fringes-3x101" },
  { "octdispersion-calibration", "octdispersion " K_INDEX, "fringes-3x101",
      .axis = "wavenumber" },
  { "octdispersion-nothing", "octdispersion", "fringes-3x101",
      .axis = "wavenumber" },
  { "octdispersion-polynomial", "octdispersion a2=95 a3=-210 " WAVELENGTH,
      "fringes-3x101", .axis = "wavenumber" },
  { "octfft-hann", "octfft window=hann", "fringes-3x101",
      .axis = "wavenumber" },
  { "octfft-none", "octfft window=none", "fringes-3x101",
      .axis = "wavenumber" },
  { "octfft-hamming", "octfft window=hamming", "fringes-3x101",
      .axis = "wavenumber" },
  { "octfft-blackman", "octfft window=blackman", "fringes-3x101",
      .axis = "wavenumber" },
  { "octfft-tukey", "octfft window=tukey", "fringes-3x101",
      .axis = "wavenumber" },
  { "octfft-gaussian", "octfft window=gaussian", "fringes-3x101",
      .axis = "wavenumber" },
  { "octfft-even", "octfft", "fringes-3x128", .axis = "wavenumber" },
  { "octfft-padded", "octfft length=256", "fringes-3x101",
      .axis = "wavenumber" },
  { "octfft-crop", "octfft depth-start=5 depth-bins=31", "fringes-3x128",
      .axis = "wavenumber" },
  { "octfft-one-line", "octfft", "fringes-1x101", .axis = "wavenumber" },
  { "octfft-padded-crop", "octfft window=none length=243 depth-start=100",
      "fringes-3x101", .axis = "wavenumber" },
  { "octfft-complex", "octdispersion " K_INDEX " ! octfft", "fringes-3x101",
      .axis = "wavenumber" },
  { "octlogscale-auto",
      "octlogscale range=auto ! capsfilter caps=video/x-raw,format=GRAY8",
      "a-scans" },
  { "octlogscale-nv12", "octlogscale range=auto" NV12, "a-scans" },
  { "octlogscale-gray16", "octlogscale range=auto" GRAY16, "a-scans" },
  { "octlogscale-gray16-manual",
      "octlogscale range=manual min=-20 max=80" GRAY16, "a-scans" },
  { "octlogscale-linear", "octlogscale range=auto scale=linear", "a-scans" },
  { "octlogscale-manual", "octlogscale range=manual min=10.5 max=61.25",
      "a-scans" },
  { "octlogscale-linear-manual",
      "octlogscale scale=linear range=manual min=100 max=2e5", "a-scans" },
  { "octlogscale-contrast", "octlogscale range=contrast", "a-scans" },
  { "octlogscale-default", "octlogscale", "a-scans" },
  { "octlogscale-zeros", "octlogscale range=auto", "a-scans-zeros" },
  { "octlogscale-one-line", "octlogscale range=auto", "a-scans-one-line" },
  { "octlogscale-smoothing", "octlogscale range=auto range-smoothing=0.7",
      "a-scans-bscans", .bscans = 3 },
  { "chain-linear",
      "octdcsub " K_INDEX " ! octkresample method=linear upsample=1 ! "
      "octdispersion ! octfft window=hann",
      "u16" },
  { "image-linear",
      "octdcsub " K_INDEX
      " ! octkresample method=linear upsample=1 ! octdispersion ! octfft "
      "window=hann ! octlogscale range=auto",
      "u16" },
  { "chain-linear-real",
      "octdcsub " K_INDEX
      " ! octkresample method=linear upsample=1 ! octfft window=hann",
      "u16" },
  { "image-linear-real",
      "octdcsub " K_INDEX " ! octkresample method=linear upsample=1 ! octfft "
      "window=hann ! octlogscale range=auto",
      "u16" },
  { "chain-cubic",
      "octdcsub " K_INDEX " ! octkresample method=cubic upsample=1 ! "
      "octdispersion ! octfft window=hann",
      "u16" },
  { "image-cubic",
      "octdcsub " K_INDEX
      " ! octkresample method=cubic upsample=1 ! octdispersion ! octfft "
      "window=hann ! octlogscale range=auto",
      "u16" },
  { "chain-cubic-real",
      "octdcsub " K_INDEX
      " ! octkresample method=cubic upsample=1 ! octfft window=hann",
      "u16" },
  { "image-cubic-real",
      "octdcsub " K_INDEX " ! octkresample method=cubic upsample=1 ! octfft "
      "window=hann ! octlogscale range=auto",
      "u16" },
  { "chain-lanczos",
      "octdcsub " K_INDEX " ! octkresample method=lanczos upsample=1 ! "
      "octdispersion ! octfft window=hann",
      "u16" },
  { "image-lanczos",
      "octdcsub " K_INDEX
      " ! octkresample method=lanczos upsample=1 ! octdispersion ! octfft "
      "window=hann ! octlogscale range=auto",
      "u16" },
  { "chain-lanczos-real",
      "octdcsub " K_INDEX
      " ! octkresample method=lanczos upsample=1 ! octfft window=hann",
      "u16" },
  { "image-lanczos-real",
      "octdcsub " K_INDEX " ! octkresample method=lanczos upsample=1 ! octfft "
      "window=hann ! octlogscale range=auto",
      "u16" },
  { "chain-none",
      "octdcsub " K_INDEX " ! octkresample method=cubic upsample=1 ! "
      "octdispersion ! octfft window=none",
      "u16-five-lines" },
  { "image-none",
      "octdcsub " K_INDEX
      " ! octkresample method=cubic upsample=1 ! octdispersion ! octfft "
      "window=none ! octlogscale range=auto",
      "u16-five-lines" },
  { "chain-hamming",
      "octdcsub " K_INDEX " ! octkresample method=cubic upsample=1 ! "
      "octdispersion ! octfft window=hamming",
      "u16-five-lines" },
  { "image-hamming",
      "octdcsub " K_INDEX
      " ! octkresample method=cubic upsample=1 ! octdispersion ! octfft "
      "window=hamming ! octlogscale range=auto",
      "u16-five-lines" },
  { "chain-blackman",
      "octdcsub " K_INDEX " ! octkresample method=cubic upsample=1 ! "
      "octdispersion ! octfft window=blackman",
      "u16-five-lines" },
  { "image-blackman",
      "octdcsub " K_INDEX
      " ! octkresample method=cubic upsample=1 ! octdispersion ! octfft "
      "window=blackman ! octlogscale range=auto",
      "u16-five-lines" },
  { "chain-tukey",
      "octdcsub " K_INDEX " ! octkresample method=cubic upsample=1 ! "
      "octdispersion ! octfft window=tukey",
      "u16-five-lines" },
  { "image-tukey",
      "octdcsub " K_INDEX
      " ! octkresample method=cubic upsample=1 ! octdispersion ! octfft "
      "window=tukey ! octlogscale range=auto",
      "u16-five-lines" },
  { "chain-gaussian",
      "octdcsub " K_INDEX " ! octkresample method=cubic upsample=1 ! "
      "octdispersion ! octfft window=gaussian",
      "u16-five-lines" },
  { "image-gaussian",
      "octdcsub " K_INDEX
      " ! octkresample method=cubic upsample=1 ! octdispersion ! octfft "
      "window=gaussian ! octlogscale range=auto",
      "u16-five-lines" },
  { "chain-upsample",
      "octdcsub " K_INDEX " ! octkresample method=linear upsample=2 ! "
      "octdispersion ! octfft window=hann",
      "u16" },
  { "image-upsample",
      "octdcsub " K_INDEX
      " ! octkresample method=linear upsample=2 ! octdispersion ! octfft "
      "window=hann ! octlogscale range=auto",
      "u16" },
  { "chain-even",
      "octdcsub " K_INDEX_128 " ! octkresample method=cubic upsample=1 ! "
      "octdispersion ! octfft window=hann",
      "u16-9x128" },
  { "image-even",
      "octdcsub " K_INDEX_128
      " ! octkresample method=cubic upsample=1 ! octdispersion ! octfft "
      "window=hann ! octlogscale range=auto",
      "u16-9x128" },
  { "chain-u8",
      "octdcsub " K_INDEX " ! octkresample method=cubic upsample=1 ! "
      "octdispersion ! octfft window=hann",
      "u8" },
  { "image-u8",
      "octdcsub " K_INDEX
      " ! octkresample method=cubic upsample=1 ! octdispersion ! octfft "
      "window=hann ! octlogscale range=auto",
      "u8" },
  { "chain-f32",
      "octdcsub " K_INDEX " ! octkresample method=cubic upsample=1 ! "
      "octdispersion ! octfft window=hann",
      "f32" },
  { "image-f32",
      "octdcsub " K_INDEX
      " ! octkresample method=cubic upsample=1 ! octdispersion ! octfft "
      "window=hann ! octlogscale range=auto",
      "f32" },
  { "chain-saturated",
      "octdcsub " K_INDEX_64 " ! octkresample method=cubic upsample=1 ! "
      "octdispersion ! octfft window=hann",
      "saturated-u16" },
  { "image-saturated",
      "octdcsub " K_INDEX_64
      " ! octkresample method=cubic upsample=1 ! octdispersion ! octfft "
      "window=hann ! octlogscale range=auto",
      "saturated-u16" },
  { "chain-saturated-8-bit",
      "octdcsub " K_INDEX_64 " ! octkresample method=cubic upsample=1 ! "
      "octdispersion ! octfft window=hann",
      "saturated-u8" },
  { "image-saturated-8-bit",
      "octdcsub " K_INDEX_64
      " ! octkresample method=cubic upsample=1 ! octdispersion ! octfft "
      "window=hann ! octlogscale range=auto",
      "saturated-u8" },
  { "chain-constant",
      "octdcsub " K_INDEX_64 " ! octkresample method=cubic upsample=1 ! "
      "octdispersion ! octfft window=hann",
      "constant" },
  { "image-constant",
      "octdcsub " K_INDEX_64
      " ! octkresample method=cubic upsample=1 ! octdispersion ! octfft "
      "window=hann ! octlogscale range=auto",
      "constant" },
  { "chain-one-line",
      "octdcsub " K_INDEX " ! octkresample method=cubic upsample=1 ! "
      "octdispersion ! octfft window=hann",
      "u16-one-line" },
  { "image-one-line",
      "octdcsub " K_INDEX
      " ! octkresample method=cubic upsample=1 ! octdispersion ! octfft "
      "window=hann ! octlogscale range=auto",
      "u16-one-line" },
  { "chain-few-samples",
      "octdcsub " K_INDEX_33 " ! octkresample method=cubic upsample=1 ! "
      "octdispersion ! octfft window=hann",
      "u16-3x33" },
  { "image-few-samples",
      "octdcsub " K_INDEX_33
      " ! octkresample method=cubic upsample=1 ! octdispersion ! octfft "
      "window=hann ! octlogscale range=auto",
      "u16-3x33" },
  { "chain-gray16",
      "octdcsub " K_INDEX " ! octkresample method=cubic upsample=1 ! "
      "octdispersion ! octfft window=hann",
      "u16" },
  { "image-gray16",
      "octdcsub " K_INDEX
      " ! octkresample method=cubic upsample=1 ! octdispersion ! octfft "
      "window=hann ! octlogscale range=auto" GRAY16,
      "u16" },
  { "chain-nv12",
      "octdcsub " K_INDEX " ! octkresample method=cubic upsample=1 ! "
      "octdispersion ! octfft window=hann",
      "u16" },
  { "image-nv12",
      "octdcsub " K_INDEX
      " ! octkresample method=cubic upsample=1 ! octdispersion ! octfft "
      "window=hann ! octlogscale range=auto" NV12,
      "u16" },
  { "octnufft-none", "octnufft window=none " K_INDEX, "fringes-5x101" },
  { "octnufft-hamming", "octnufft window=hamming " K_INDEX, "fringes-5x101" },
  { "octnufft-blackman", "octnufft window=blackman " K_INDEX, "fringes-5x101" },
  { "octnufft-default", "octnufft " K_INDEX, "fringes-5x101" },
  { "octnufft-even", "octnufft " K_INDEX_128, "fringes-4x128" },
  { "octnufft-on-the-fly", "octnufft weights=on-the-fly " K_INDEX_128,
      "fringes-4x128" },
  { "octnufft-narrow", "octnufft oversampling=2 kernel-width=3 " K_INDEX_128,
      "fringes-4x128" },
  { "octnufft-gaussian",
      "octnufft kernel=gaussian oversampling=1.5 kernel-width=7 " K_INDEX_128,
      "fringes-4x128" },
  { "octnufft-gaussian-on-the-fly",
      "octnufft kernel=gaussian weights=on-the-fly oversampling=1.5 "
      "kernel-width=7 " K_INDEX_128,
      "fringes-4x128" },
  { "octnufft-rounded", "octnufft oversampling=1.3 " K_INDEX, "fringes-5x101" },
  { "octnufft-exact", "octnufft method=nudft " K_INDEX, "fringes-5x101" },
  { "octnufft-exact-even", "octnufft method=nudft " K_INDEX_128,
      "fringes-4x128" },
  { "octnufft-wavelength", "octnufft " WAVELENGTH, "fringes-5x101" },
  { "octnufft-crop", "octnufft depth-start=5 depth-bins=20 " K_INDEX,
      "fringes-5x101" },
  { "octnufft-one-line", "octnufft " K_INDEX, "fringes-1x101" },
  { "octnufft-uniform", "octnufft calibration=@/uniform-101.csv",
      "fringes-5x101" },
  { "octdispersion-samples", "octdispersion " K_INDEX, "fringes-5x101" },
  { "octdispersion-samples-polynomial",
      "octdispersion a2=95 a3=-210 " WAVELENGTH, "fringes-5x101" },
  { "chain-nufft-101-real", "octdcsub " K_INDEX " ! octnufft method=nufft",
      "u16-5x101" },
  { "image-nufft-101-real",
      "octdcsub " K_INDEX " ! octnufft method=nufft ! octlogscale range=auto",
      "u16-5x101" },
  { "chain-nufft-101",
      "octdcsub " K_INDEX " ! octdispersion ! octnufft method=nufft",
      "u16-5x101" },
  { "image-nufft-101",
      "octdcsub " K_INDEX
      " ! octdispersion ! octnufft method=nufft ! octlogscale range=auto",
      "u16-5x101" },
  { "chain-nufft-128-real", "octdcsub " K_INDEX_128 " ! octnufft method=nufft",
      "u16-4x128" },
  { "image-nufft-128-real",
      "octdcsub " K_INDEX_128
      " ! octnufft method=nufft ! octlogscale range=auto",
      "u16-4x128" },
  { "chain-nufft-128",
      "octdcsub " K_INDEX_128 " ! octdispersion ! octnufft method=nufft",
      "u16-4x128" },
  { "image-nufft-128",
      "octdcsub " K_INDEX_128
      " ! octdispersion ! octnufft method=nufft ! octlogscale range=auto",
      "u16-4x128" },
  { "chain-nudft-101-real", "octdcsub " K_INDEX " ! octnufft method=nudft",
      "u16-5x101" },
  { "image-nudft-101-real",
      "octdcsub " K_INDEX " ! octnufft method=nudft ! octlogscale range=auto",
      "u16-5x101" },
  { "chain-nudft-101",
      "octdcsub " K_INDEX " ! octdispersion ! octnufft method=nudft",
      "u16-5x101" },
  { "image-nudft-101",
      "octdcsub " K_INDEX
      " ! octdispersion ! octnufft method=nudft ! octlogscale range=auto",
      "u16-5x101" },
  { "chain-nudft-128-real", "octdcsub " K_INDEX_128 " ! octnufft method=nudft",
      "u16-4x128" },
  { "image-nudft-128-real",
      "octdcsub " K_INDEX_128
      " ! octnufft method=nudft ! octlogscale range=auto",
      "u16-4x128" },
  { "chain-nudft-128",
      "octdcsub " K_INDEX_128 " ! octdispersion ! octnufft method=nudft",
      "u16-4x128" },
  { "image-nudft-128",
      "octdcsub " K_INDEX_128
      " ! octdispersion ! octnufft method=nudft ! octlogscale range=auto",
      "u16-4x128" },
  { "octcs-nufft-real", "octcs " NOISE, "fringes-4x101", .axis = "wavelength" },
  { "octcs-nufft-complex", "octcs " NOISE, "complex-4x101",
      .axis = "wavelength" },
  { "octcs-nudft-real", "octcs transform=nudft " NOISE, "fringes-4x101",
      .axis = "wavelength" },
  { "octcs-nudft-complex", "octcs transform=nudft " NOISE, "complex-4x101",
      .axis = "wavelength" },
  { "octcs-gaussian-real",
      "octcs kernel=gaussian oversampling=2 kernel-width=5 " NOISE,
      "fringes-4x101", .axis = "wavelength" },
  { "octcs-gaussian-complex",
      "octcs kernel=gaussian oversampling=2 kernel-width=5 " NOISE,
      "complex-4x101", .axis = "wavelength" },
  { "octcs-fft",
      "octcs transform=fft window=none noise=80 tau=2.5 iterations=5 "
      "depth-start=3 depth-bins=30 " MASK,
      "fringes-4x101", .axis = "wavenumber" },
  { "octcs-nudft-sparsa-real", "octcs transform=nudft solver=sparsa " NOISE,
      "fringes-4x101", .axis = "wavelength" },
  { "octcs-nudft-sparsa-complex", "octcs transform=nudft solver=sparsa " NOISE,
      "complex-4x101", .axis = "wavelength" },
  { "octcs-nudft-continued-real",
      "octcs transform=nudft solver=continued " NOISE, "fringes-4x101",
      .axis = "wavelength" },
  { "octcs-fft-continued",
      "octcs transform=fft solver=continued iterations=5 noise=80 " MASK,
      "fringes-4x101", .axis = "wavenumber" },
};

const OctTestRow *
oct_test_get_row (guint i)
{
  return i < G_N_ELEMENTS (rows) ? &rows[i] : NULL;
}
