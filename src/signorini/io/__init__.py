"""Files in and out. The only folder that opens HDF5 files."""
