"""The `bytes` lookup: the length of a text in UTF-8 bytes, for constraints and filters."""

from __future__ import annotations

from django.db.models import IntegerField, TextField, Transform


class OctetLength(Transform):
    """`note__bytes` is `octet_length(note)`; Django's own `length` counts code points."""

    lookup_name = "bytes"
    function = "OCTET_LENGTH"
    output_field = IntegerField()


TextField.register_lookup(OctetLength)
