"""The data section of a spec: the published values t, or the data that they are counted from."""
