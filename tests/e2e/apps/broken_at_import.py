"""A module that cannot be imported."""

raise ValueError("broken while importing")
