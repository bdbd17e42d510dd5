"""Releases: policies and their files, frontiers and their points, carrying out, verifying, publishing."""

from discreet.release._channels import Channel
from discreet.release._frontier import Frontier
from discreet.release._hypervolume import hypervolume, non_dominated
from discreet.release._points import Point, Points, Setting
from discreet.release._policy import Policy
from discreet.release._publishing import Release, ReleaseOptions, publish
from discreet.release._releasing import apply, release
from discreet.release._verifying import Verification, verify

__all__ = [
    "Channel",
    "Frontier",
    "Point",
    "Points",
    "Policy",
    "Release",
    "ReleaseOptions",
    "Setting",
    "Verification",
    "apply",
    "hypervolume",
    "non_dominated",
    "publish",
    "release",
    "verify",
]
