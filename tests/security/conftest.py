from tests.security.attacks import wheel

__all__ = ["wheel"]
