"""Reports in Markdown and LaTeX."""
