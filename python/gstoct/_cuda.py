# SPDX-License-Identifier: LGPL-2.1-or-later
"""Arrays in the memory of a GPU, taken and given without a copy by DLPack and
__cuda_array_interface__.

Other libraries work in the primary context of a GPU; pipelines of gstoct are given the
same, as pointers of another are not valid there.  The order of all work is that of CUDA's
legacy default stream (handle 1): the plugin's stream of computing waits for it, and it
for that.  The plugin's part is gst/memory/gstoctgpushare.h, found in its file, so that
this package needs no compiler and no CUDA to be installed.
"""
from __future__ import annotations

import ctypes
import math
import threading
import weakref
from typing import Any

import numpy
from numpy.typing import NDArray

from . import _gst, _memory
from ._gst import gst
from .errors import Error

LEGACY = 1  # CU_STREAM_LEGACY
DLPACK_CUDA = 2
#: the order of addresses that operations like
ALIGNMENT = 256
_NO_TIMING = 2
_ON_DEVICE = 2  # CU_MEMORYTYPE_DEVICE
_ATTRIBUTE_DEVICE = 9
_CODES = {"i": 0, "u": 1, "f": 2, "c": 5}
_KINDS = {code: kind for kind, code in _CODES.items()}

_pointer, _size = ctypes.c_void_p, ctypes.c_size_t


class _Tensor(ctypes.Structure):
    """DLManagedTensor of dlpack.h."""


_Deleter = ctypes.CFUNCTYPE(None, _pointer)
_Tensor._fields_ = [
    ("data", _pointer), ("device_type", ctypes.c_int32), ("device", ctypes.c_int32),
    ("n", ctypes.c_int32), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8),
    ("lanes", ctypes.c_uint16), ("sizes", ctypes.POINTER(ctypes.c_int64)),
    ("distances", ctypes.POINTER(ctypes.c_int64)), ("offset", ctypes.c_uint64),
    ("manager", _pointer), ("deleter", _Deleter)]


class _Copy2D(ctypes.Structure):
    """CUDA_MEMCPY2D of cuda.h."""
    _fields_ = [(f"{end}_{name}", kind) for end in ("from", "to") for name, kind in (
        ("x", _size), ("y", _size), ("type", ctypes.c_int), ("host", _pointer),
        ("device", _pointer), ("array", _pointer), ("pitch", _size))] + [
            ("width", _size), ("height", _size)]


class _Problem(ctypes.Structure):
    """GError."""
    _fields_ = [("domain", ctypes.c_uint32), ("code", ctypes.c_int),
                ("message", ctypes.c_char_p)]


_python = ctypes.pythonapi
_capsule_new = _memory.bind(_python, "PyCapsule_New", ctypes.py_object, _pointer,
                            ctypes.c_char_p, _pointer)
_capsule_is = _memory.bind(_python, "PyCapsule_IsValid", ctypes.c_int, _pointer,
                           ctypes.c_char_p)
_capsule_get = _memory.bind(_python, "PyCapsule_GetPointer", _pointer, _pointer,
                            ctypes.c_char_p)
_NAME = b"dltensor"


def _forget(capsule: int) -> None:
    """Frees the tensor of a capsule that nobody has taken."""
    if _capsule_is(capsule, _NAME):
        _delete(_capsule_get(capsule, _NAME))


_forget_capsule = ctypes.PYFUNCTYPE(None, _pointer)(_forget)
_python.Py_IncRef(ctypes.py_object(_forget_capsule))  # capsules may go at the very end


def _delete(tensor: int) -> None:
    if not _gst.is_forked():  # CUDA is of no use there
        _Tensor.from_address(tensor).deleter(tensor)


class Gpu:
    """The primary context of one GPU, open for the rest of the process."""

    def __init__(self, number: int) -> None:
        self.number = number
        self._driver = driver = _load_driver()
        self._plugin = plugin = _load_plugin()
        problem = ctypes.POINTER(_Problem)()
        if not plugin.gst_oct_gpu_share_is_usable(ctypes.byref(problem)):
            raise Error(f"The GPU cannot be used: {_sentence(problem)}.")
        count = ctypes.c_int()
        self._check(driver.cuInit(0))
        self._check(driver.cuDeviceGetCount(ctypes.byref(count)))
        if not 0 <= number < count.value:
            raise ValueError(f"device is GPU {number}, but there are {count.value} GPUs, "
                             "numbered from 0 on.")
        self._context = ctypes.c_void_p()
        self._check(driver.cuDevicePrimaryCtxRetain(
            ctypes.byref(self._context), number))
        self._cuda = plugin.gst_oct_gpu_share_open(
            self._context, number, ctypes.byref(problem))
        if not self._cuda:
            raise Error(_sentence(problem))

    def _check(self, result: int) -> None:
        if result != 0:
            text = ctypes.c_char_p()
            self._driver.cuGetErrorString(result, ctypes.byref(text))
            raise Error(f"GPU {self.number} cannot go on: "
                        f"{(text.value or b'').decode() or result}; start the program "
                        "again, or set device='cpu'.")

    def _call(self, name: str, *arguments: Any) -> None:
        self._check(self._driver.cuCtxPushCurrent_v2(self._context))
        try:
            self._check(getattr(self._driver, name)(*arguments))
        finally:
            self._driver.cuCtxPopCurrent_v2(ctypes.byref(ctypes.c_void_p()))

    def use(self, pipeline: Any) -> None:
        """Elements of this pipeline, which has not started, work in the context."""
        self._plugin.gst_oct_gpu_share_use(self._cuda, hash(pipeline))

    def wait(self) -> None:
        """Until all work in the context is done; other threads run meanwhile."""
        self._call("cuCtxSynchronize")

    def order(self, first: int, then: int) -> None:
        """Work that is queued in the stream `then` from now on comes after that in
        `first`.  The host does not wait."""
        if first == then:
            return
        event = ctypes.c_void_p()
        self._call("cuEventCreate", ctypes.byref(event), _NO_TIMING)
        try:
            self._call("cuEventRecord", event, first)
            self._call("cuStreamWaitEvent", then, event, 0)
        finally:
            self._call("cuEventDestroy_v2", event)

    def copy(self, to: int, to_pitch: int, source: int, pitch: int, width: int,
             height: int) -> None:
        """Rows from one place on the GPU to another, in the legacy default stream."""
        what = _Copy2D(from_type=_ON_DEVICE, from_device=source, from_pitch=pitch,
                       to_type=_ON_DEVICE, to_device=to, to_pitch=to_pitch,
                       width=width, height=height)
        if height == 1 or width == pitch == to_pitch:  # pitches have a limit
            self._call("cuMemcpyDtoDAsync_v2", to, source, width * height, LEGACY)
        else:
            self._call("cuMemcpy2DAsync_v2", ctypes.byref(what), LEGACY)

    def download(self, to: NDArray[Any], source: int) -> None:
        """To contiguous memory of the host; waits."""
        self._call("cuMemcpyDtoHAsync_v2", to.ctypes.data, source, to.nbytes, LEGACY)
        self._call("cuStreamSynchronize", LEGACY)

    def new_buffer(self, data: int | None, size: int) -> Any:
        """A Gst.Buffer of memory at this address, which has to live longer, or of
        new memory."""
        problem = ctypes.POINTER(_Problem)()
        memory = self._plugin.gst_oct_gpu_share_memory_new(
            self._cuda, data, size, ctypes.byref(problem))
        if not memory:
            raise MemoryError(_sentence(problem))
        buffer = gst().Buffer.new()
        _memory.append(buffer, memory)
        return buffer

    def new_tensor(self, buffer: Any, offset: int, shape: tuple[int, ...],
                   strides: tuple[int, ...], dtype: numpy.dtype[Any], wait: bool) -> int:
        """The address of a DLManagedTensor, which keeps the buffer."""
        axes = ctypes.c_int64 * len(shape)
        problem = ctypes.POINTER(_Problem)()
        found = self._plugin.gst_oct_gpu_share_tensor_new(
            self._cuda, self.number, _memory.address(buffer), offset, len(shape),
            axes(*shape), axes(*(step // dtype.itemsize for step in strides)),
            _CODES[dtype.kind], dtype.itemsize * 8, wait, ctypes.byref(problem))
        if not found:
            raise Error(_sentence(problem))
        return found


def _sentence(problem: Any) -> str:
    text = problem.contents.message.decode() if problem else "no reason is known"
    if problem:
        _memory.free_error(problem)
    return text


_lock = threading.Lock()
_gpus: dict[int, Gpu] = {}


def open_gpu(number: int = 0) -> Gpu:
    """GPU of this number.  Raises Error if GPUs cannot be used here, ValueError if
    there is none of this number."""
    gst()  # not in a forked process
    with _lock:
        if number not in _gpus:
            _gpus[number] = Gpu(number)
        return _gpus[number]


def _load_driver() -> Any:
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError:
        raise Error("The GPU cannot be used: there is no NVIDIA driver (libcuda.so.1) "
                    "on this machine.") from None
    stream, address = _pointer, ctypes.c_uint64
    functions: tuple[tuple[Any, ...], ...] = (
            ("cuInit", ctypes.c_uint), ("cuDeviceGetCount", _pointer),
            ("cuGetErrorString", ctypes.c_int, _pointer),
            ("cuDevicePrimaryCtxRetain", _pointer, ctypes.c_int),
            ("cuCtxPushCurrent_v2", _pointer), ("cuCtxPopCurrent_v2", _pointer),
            ("cuCtxSynchronize",), ("cuEventCreate", _pointer, ctypes.c_uint),
            ("cuEventRecord", _pointer, stream), ("cuEventDestroy_v2", _pointer),
            ("cuStreamWaitEvent", stream, _pointer, ctypes.c_uint),
            ("cuStreamSynchronize", stream),
            ("cuMemcpyDtoDAsync_v2", address, address, _size, stream),
            ("cuMemcpyDtoHAsync_v2", _pointer, address, _size, stream),
            ("cuMemcpy2DAsync_v2", _pointer, stream),
            ("cuPointerGetAttribute", _pointer, ctypes.c_int, address))
    for name, *arguments in functions:
        _memory.bind(driver, name, ctypes.c_int, *arguments)
    return driver


def _load_plugin() -> Any:
    plugin = gst().Registry.get().find_plugin("oct")
    if plugin is None:
        raise Error("There is no plugin oct; install gstreamer1.0-oct, or set "
                    "GST_PLUGIN_PATH to the folder of libgstoct.so.")
    library = ctypes.CDLL(plugin.get_filename())
    error = ctypes.POINTER(ctypes.POINTER(_Problem))
    axes = ctypes.POINTER(ctypes.c_int64)
    try:
        for name, result, *arguments in (
                ("is_usable", ctypes.c_int, error),
                ("open", _pointer, _pointer, ctypes.c_uint, error),
                ("use", None, _pointer, _pointer),
                ("memory_new", _pointer, _pointer, _pointer, _size, error),
                ("tensor_new", _pointer, _pointer, ctypes.c_int, _pointer, _size,
                 ctypes.c_int, axes, axes, ctypes.c_uint8, ctypes.c_uint8, ctypes.c_int,
                 error)):
            _memory.bind(library, f"gst_oct_gpu_share_{name}", result, *arguments)
    except AttributeError:
        raise Error("The plugin oct is older than this gstoct and shares no memory of "
                    "a GPU; install the same version of both.") from None
    return library


class DeviceArray:
    """Values in the memory of a GPU: for CuPy, PyTorch and others, without a copy.

        tensor = torch.from_dlpack(frame.values)
        array = cupy.from_dlpack(frame.values)      # or cupy.asarray()
        host = frame.values.numpy()                 # a copy

    shape, dtype, strides (bytes), nbytes: as those of NumPy.  device: number of the GPU.
    address: of the first value.
    The memory stays as long as this object or one that was made of it.  Elements of
    the pipeline may still read it: do not write to it.

    DLPack: values can be read in the stream that is asked for.
    __cuda_array_interface__: they can be read after the work in CUDA's legacy default
    stream, which `stream` says.  Before the memory is used again, the GPU is waited for,
    unless it was read by DLPack in the default stream.
    """

    def __init__(self, gpu: Gpu, buffer: Any, offset: int, shape: tuple[int, ...],
                 strides: tuple[int, ...], dtype: Any) -> None:
        self.dtype = numpy.dtype(dtype)
        self.shape, self.strides = tuple(shape), tuple(strides)
        self.device = gpu.number
        self._gpu, self._buffer, self._offset = gpu, buffer, offset
        self._waits: weakref.finalize | None = None
        tensor = self._new_tensor(False)
        self.address = _Tensor.from_address(tensor).data or 0
        weakref.finalize(self, _delete, tensor).atexit = False

    def _new_tensor(self, wait: bool) -> int:
        return self._gpu.new_tensor(self._buffer, self._offset, self.shape, self.strides,
                                    self.dtype, wait)

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return len(self.shape)

    @property
    def nbytes(self) -> int:
        """Bytes of the values."""
        return math.prod(self.shape) * self.dtype.itemsize

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        if self._waits is None:  # the stream that reads it is not told
            self._waits = weakref.finalize(self, _delete, self._new_tensor(True))
            self._waits.atexit = False
        return {"version": 3, "shape": self.shape, "typestr": self.dtype.str,
                "data": (self.address, False), "strides": self.strides,
                "stream": LEGACY}

    def __dlpack_device__(self) -> tuple[int, int]:
        return DLPACK_CUDA, self.device

    def __dlpack__(self, *, stream: int | None = None, max_version: Any = None,
                   dl_device: tuple[int, int] | None = None,
                   copy: bool | None = None) -> Any:
        if copy or (dl_device is not None
                    and tuple(dl_device) != self.__dlpack_device__()):
            raise BufferError("The values are lent as they are; for a copy on the host "
                              "call numpy().")
        if stream is not None and (isinstance(stream, bool) or stream < -1
                                   or stream == 0):
            raise ValueError(f"stream is {stream}, but -1 (no order), 1 (legacy "
                             "default), 2 (that of the thread) or a handle is expected.")
        if stream is not None and stream not in (LEGACY, -1):
            self._gpu.order(LEGACY, stream)
        tensor = self._new_tensor(stream not in (None, LEGACY))
        return _capsule_new(tensor, _NAME, ctypes.cast(_forget_capsule, _pointer))

    def numpy(self) -> NDArray[Any]:
        """A copy in host memory."""
        rows = math.prod(self.shape[:-1])
        width = self.shape[-1] * self.dtype.itemsize
        found = numpy.empty(self.shape, self.dtype)
        pitch = self.strides[-2] if self.ndim > 1 else width
        if pitch == width:
            self._gpu.download(found, self.address)
            return found
        packed = self._gpu.new_buffer(None, found.nbytes)
        place = pack(self._gpu, self.address, pitch, width, rows, packed, self.shape,
                     self.dtype)
        self._gpu.download(found, place.address)
        return found

    def __array__(self, dtype: Any = None, copy: Any = None) -> NDArray[Any]:
        raise TypeError("The values are in the memory of a GPU; numpy() copies them to "
                        "the host, and cupy.from_dlpack() or torch.from_dlpack() use "
                        "them where they are.")

    def __len__(self) -> int:
        return self.shape[0]

    def __repr__(self) -> str:
        return (f"<gstoct values {self.shape} of {self.dtype} on GPU {self.device}>")


def pack(gpu: Gpu, source: int, pitch: int, width: int, rows: int, buffer: Any,
         shape: tuple[int, ...], dtype: Any) -> DeviceArray:
    """Rows without gaps, copied on the GPU into a buffer of new_buffer()."""
    found = DeviceArray(gpu, buffer, 0, shape, contiguous(shape, dtype), dtype)
    gpu.copy(found.address, width, source, pitch, width, rows)
    return found


def contiguous(shape: tuple[int, ...], dtype: Any) -> tuple[int, ...]:
    """Bytes between values of each axis, without gaps."""
    steps = [numpy.dtype(dtype).itemsize]
    for size in reversed(shape[1:]):
        steps.insert(0, steps[0] * size)
    return tuple(steps)


class Lent:
    """An array of another library in the memory of a GPU, as long as this lives.  Work
    that is queued in the legacy default stream afterwards can use it."""

    def __init__(self, given: Any, name: str) -> None:
        self._kept: Any = given
        if hasattr(given, "__dlpack__"):
            self._take_tensor(given, name)
        else:
            self._take_interface(given, name)

    def _take_tensor(self, given: Any, name: str) -> None:
        number = given.__dlpack_device__()[1]
        self.gpu = open_gpu(number)
        capsule = given.__dlpack__(stream=LEGACY)
        if not _capsule_is(id(capsule), _NAME):
            raise TypeError(f"{name} of the type {type(given).__name__} gives something "
                            "else than a tensor of DLPack.")
        self._kept = given, capsule
        tensor = _Tensor.from_address(_capsule_get(id(capsule), _NAME))
        if tensor.code not in _KINDS or tensor.lanes != 1:
            raise TypeError(f"{name} have a type that NumPy does not have, but uint8, "
                            "uint16 or float32 is expected.")
        self.dtype = numpy.dtype(f"{_KINDS[tensor.code]}{tensor.bits // 8}")
        self.shape = tuple(tensor.sizes[:tensor.n])
        self.strides = tuple(
            step * self.dtype.itemsize for step in tensor.distances[:tensor.n]
        ) if tensor.distances else contiguous(self.shape, self.dtype)
        self.address = (tensor.data or 0) + tensor.offset
        self.read_only = False

    def _take_interface(self, given: Any, name: str) -> None:
        driver = _load_driver()
        found = given.__cuda_array_interface__
        if found.get("mask") is not None:
            raise TypeError(f"{name} have a mask, which is not supported.")
        self.address, self.read_only = found["data"]
        self.shape, self.dtype = tuple(found["shape"]), numpy.dtype(found["typestr"])
        self.strides = tuple(found.get("strides") or ()) or contiguous(
            self.shape, self.dtype)
        number = ctypes.c_int()
        driver.cuInit(0)
        if driver.cuPointerGetAttribute(ctypes.byref(number), _ATTRIBUTE_DEVICE,
                                        self.address) != 0:
            raise ValueError(f"{name} are at the address {self.address:#x}, but that is "
                             "not memory of a GPU.")
        self.gpu = open_gpu(number.value)
        stream = found.get("stream")
        if stream is not None:
            self.gpu.order(stream, LEGACY)

    @property
    def is_contiguous(self) -> bool:
        """Whether there are no gaps."""
        return all(size == 1 or step == plain for size, step, plain in zip(
            self.shape, self.strides, contiguous(self.shape, self.dtype)))


def is_on_gpu(given: Any) -> bool:
    """Whether an object is an array in the memory of a GPU."""
    if hasattr(given, "__dlpack_device__"):
        return given.__dlpack_device__()[0] == DLPACK_CUDA
    return hasattr(given, "__cuda_array_interface__")
