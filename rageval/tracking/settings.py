"""Where results go."""

from __future__ import annotations

from rageval.fields import Flag, Name, Record


class TrackingConfig(Record):
    """The tracking store."""

    enabled: Flag
    uri: Name | None  # None = MLFLOW_TRACKING_URI, or else sqlite under `root`
    experiment: Name
    root: Name  # folder of the embedded store
