"""Recipes: one file that says the whole job, for commands, Python, pipelines and the app."""

from discreet.recipe._guessing import Profile, profile
from discreet.recipe._recipe import Recipe

__all__ = ["Profile", "Recipe", "profile"]
