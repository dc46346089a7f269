"""What each invariant of a release costs."""
