# SPDX-License-Identifier: LGPL-2.1-or-later
"""B-scans of recordings for deep learning: a data set of PyTorch, or of whatever takes
__len__ and __getitem__.  Files are read as they are needed."""
import gstoct
import numpy


class BScans:
    """Images of all B-scans of some files, float32 [1, depths, A-lines], 0 to 1."""

    def __init__(self, paths, **settings):
        self.recordings = [gstoct.open(path) for path in paths]
        self.settings = settings
        self.places = [(file, volume, bscan)
                       for file, recording in enumerate(self.recordings)
                       for volume in range(recording.shape[0])
                       for bscan in range(recording.shape[1])]

    def __len__(self):
        return len(self.places)

    def __getitem__(self, number):
        file, volume, bscan = self.places[number]
        recording = self.recordings[file]
        image = gstoct.reconstruct(
            recording[volume, bscan], output="image", device="cpu",
            calibration=recording.calibration, range="manual", min=25, max=65,
            **self.settings)
        return image.values[None].astype(numpy.float32) / 255


if __name__ == "__main__":
    spectra, _ = gstoct.simulate(bscans=12, lines=64, samples=1024)
    numpy.save("spectra.npy", spectra)
    data = BScans(["spectra.npy"], axis="wavenumber")
    try:
        from torch.utils.data import DataLoader
        # processes that are forked would have none of the threads
        loader = DataLoader(data, batch_size=4, num_workers=2,
                            multiprocessing_context="spawn")
        batches = [batch.numpy() for batch in loader]
    except ImportError:
        batches = [numpy.stack([data[n] for n in range(start, start + 4)])
                   for start in range(0, len(data), 4)]
    print([batch.shape for batch in batches])
    first = numpy.concatenate(batches[0][:, 0], axis=1)  # side by side
    gstoct.Picture((first * 255).astype(numpy.uint8)).save_png("batch.png")
