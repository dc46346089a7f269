"""The deltas, epsilons and error rates that mu-GDP and rho-zCDP imply, and the rhos of pairs."""
