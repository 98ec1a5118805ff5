"""The review console: the screens where people read, judge and decide."""
