"""Vectors and prefetching spelled out for LLVM, where the compiler does not find them by itself."""
