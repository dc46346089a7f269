"""Reports as pages: one HTML file each, which loads nothing and runs nothing that a spec wrote."""
