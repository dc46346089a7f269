"""Integer programs and exact linear algebra, whose answers are checked in integers."""
