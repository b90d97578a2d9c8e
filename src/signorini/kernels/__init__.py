"""Compiled loops: plain arrays in, plain arrays out. The only folder that imports numba."""

from signorini.kernels.environment import find_cache, forget_unreadable_indices, let_threads_sleep

let_threads_sleep()
find_cache()
forget_unreadable_indices()
