"""mu-GDP fitted to a whole tradeoff function, and the regret of that mu."""
