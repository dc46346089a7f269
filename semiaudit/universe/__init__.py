"""The combinatorics of D_t: the semi-adjacent parameter a(t), and sensitivities inside D_t."""
