"""Time and memory as the work grows by factors of ten: the figures of docs/performance.md."""
