"""What one measure says by itself: mu-GDP exactly, rho-zCDP at its best orders."""
