"""From a log of questions to cases worth adding to a golden set, and what the log says of it."""
