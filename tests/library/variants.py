"""What a user may write: 20 variants of a spec, and the curve of each, as one table."""

from semiaudit import GDP, Gaussian, Laplace, PureDP, Spec, audit

spec = Spec.from_file("configs/starter.yaml")
curves: dict[str, list[float]] = {}
for rounds in (1, 2, 4, 8, 16):
    noises = Gaussian(10, shifts=[1]), Laplace("7.5", shifts=[1])
    for mechanism in (*noises, GDP("1/8"), PureDP(0.05)):
        variant = spec.with_(mechanism=mechanism * rounds, invariants=[{"margin": ["region"]}])
        guarantee = audit(variant).semi_dp
        curves[repr(mechanism * rounds)] = list(guarantee.tradeoff(3).type_ii)
        bound = guarantee.epsilon(1e-6)
        print(f"{mechanism * rounds!r:32} {float(bound):10.6f} {bound.side} {bound.method}")
assert len(curves) == 20
