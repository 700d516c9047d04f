"""``/openapi.json``, and ``/docs``: one page without scripts or external assets."""

import json
from collections.abc import Mapping
from functools import cached_property
from html import escape
from typing import Any

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from chainteller.api.endpoints import Gateway
from chainteller.api.request_context import RequestContext
from chainteller.api.responses import json_reply
from chainteller.service.operations import ANY_KEY, Endpoint, Section

OPENAPI = Endpoint(Section("", ANY_KEY, ""), "openapi", "GET /openapi.json", "This description")

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
_STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 62rem; padding: 0 1rem }
code, pre { font: 14px/1.5 ui-monospace, monospace }
pre { overflow-x: auto; padding: 1rem; border: 1px solid #8888 }
details { border-top: 1px solid #8888; padding: .4rem 0 }
summary { cursor: pointer } table { border-collapse: collapse }
td, th { border-bottom: 1px solid #8888; padding: .2rem .8rem .2rem 0; text-align: left }
@media (prefers-color-scheme: dark) { body { background: #111; color: #eee } }
"""


class Documentation:
    """Both forms of the same description."""

    def __init__(self, gateway: Gateway, document: Mapping[str, Any]) -> None:
        self._gateway = gateway
        self._document = document

    @cached_property
    def _json(self) -> str:
        return json.dumps(self._document, separators=(",", ":"))

    @cached_property
    def _page(self) -> str:
        return rendered(self._document)

    async def openapi(self, _: Request, context: RequestContext) -> Response:
        """The OpenAPI document; any key may read it."""
        context.operation = OPENAPI.operation_id
        self._gateway.permit(context, OPENAPI)
        return json_reply(self._json)

    async def page(self, _: Request, context: RequestContext) -> Response:
        """The description as a page; needs no key."""
        context.operation = "docs"
        return HTMLResponse(self._page, headers={"Content-Security-Policy": _POLICY})


def rendered(document: Mapping[str, Any]) -> str:
    """The description as one HTML page."""
    title = escape(document["info"]["title"])
    operations = [
        _operation(method, path, operation)
        for path, item in document["paths"].items()
        for method, operation in item.items()
    ]
    schemas = [
        f"<details id='{escape(name)}'><summary><code>{escape(name)}</code></summary>"
        f"<pre>{_pretty(schema)}</pre></details>"
        for name, schema in sorted(document["components"]["schemas"].items())
    ]
    embedded = json.dumps(document).replace("<", "\\u003c")
    return (
        f"<!doctype html><html lang=en><meta charset=utf-8><title>{title}</title>"
        f"<style>{_STYLE}</style><h1>{title}</h1>"
        f"<p>API version <code>{escape(document['info']['x-api-version'])}</code>. Every call "
        "carries <code>Authorization: Bearer &lt;API_KEY&gt;</code>.</p>"
        f"<h2>Operations</h2>{''.join(operations)}<h2>Schemas</h2>{''.join(schemas)}"
        f"<script type='application/json' id='openapi'>{embedded}</script></html>"
    )


def _operation(method: str, path: str, operation: Mapping[str, Any]) -> str:
    parameters = "".join(
        f"<tr><td><code>{escape(p['name'])}</code><td>{p['in']}"
        f"<td>{escape(p.get('description', ''))}"
        for p in operation.get("parameters", ())
    )
    replies = "".join(
        f"<tr><td>{status}<td>{escape(reply['description'])}"
        for status, reply in operation["responses"].items()
    )
    body = operation.get("requestBody")
    schema = body["content"]["application/json"]["schema"]["$ref"].split("/")[-1] if body else ""
    carried = f"<p>Body: <a href='#{schema}'><code>{schema}</code></a></p>" if body else ""
    return (
        f"<details><summary><code>{method.upper()} {escape(path)}</code> "
        f"{escape(operation['summary'])}</summary><p>{escape(operation['description'])}</p>"
        f"<table>{parameters}</table>{carried}<table>{replies}</table></details>"
    )


def _pretty(schema: Any) -> str:
    return escape(json.dumps(schema, indent=2))
