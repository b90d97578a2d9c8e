"""The GPU: the scalar physics of the other rooms, compiled for CUDA devices."""
