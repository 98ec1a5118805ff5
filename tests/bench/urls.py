"""The product's routes, and an empty one: what the server costs when a view does nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.urls import path
from typing_extensions import override

from config.urls import urlpatterns as product_routes
from memory.http.answers import json_answer
from memory.http.views import ReadView

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse


class EmptyView(ReadView):
    """Answers with an empty object: no credential, no body, no database."""

    schema = None  # not part of the documented wire

    @override
    def post(self, request: HttpRequest, *_: Any, **__: Any) -> HttpResponse:
        """Answer."""
        return json_answer({}, self.context.request_id)


urlpatterns = [path("v1/bench/empty", EmptyView.as_view(), name="empty"), *product_routes]
