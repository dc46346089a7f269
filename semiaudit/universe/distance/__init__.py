"""How far apart datasets of D_t are: both readings of a(t), by closed forms, lists and programs."""
