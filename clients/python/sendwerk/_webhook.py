"""Webhooks are signed as Standard Webhooks says: HMAC-SHA256 over ``<id>.<timestamp>.<raw body>``.

For a day after a change of the secret a delivery has a signature of either.
"""

import base64
import binascii
import hashlib
import hmac
import json
import re
import time
from typing import Any, Mapping, Sequence, Union

_TOLERANCE_S = 5 * 60
_PREFIX = "whsec_"
_MOST_SIGNATURES = 8


class WebhookError(Exception):
    """It is not proven that the service sent it."""


def _key(secret: str) -> bytes:
    try:
        key = base64.b64decode(secret[len(_PREFIX) :] if secret.startswith(_PREFIX) else secret, validate=True)
    except binascii.Error:
        key = b""
    if not key:
        raise WebhookError("The secret of the webhook is not usable: expected whsec_ and base64.")
    return key


def verify_webhook(
    *,
    secret: Union[str, Sequence[str]],
    headers: Mapping[str, str],
    body: Union[bytes, str],
    tolerance: float = _TOLERANCE_S,
) -> Any:
    """The event, parsed. Raises WebhookError where it is not proven that the service sent it, or it is too old.

    ``secret``: one or several. ``body``: the bytes that came, before anything parsed them.
    """
    secrets = [one for one in ([secret] if isinstance(secret, str) else secret) if one]
    if not secrets:
        raise WebhookError("A secret of the webhook is needed.")
    named = {name.lower(): value for name, value in headers.items()}
    identity, timestamp = named.get("webhook-id", ""), named.get("webhook-timestamp", "")
    if not identity or re.fullmatch("[0-9]{1,12}", timestamp) is None:
        raise WebhookError("The headers of a webhook are missing.")
    if abs(time.time() - int(timestamp)) > tolerance:
        raise WebhookError("The delivery is too old, or the clock of this host is wrong.")
    content = body.encode() if isinstance(body, str) else bytes(body)
    signed = f"{identity}.{timestamp}.".encode() + content
    given = named.get("webhook-signature", "").split(" ")[:_MOST_SIGNATURES]
    expected = [
        b"v1," + base64.b64encode(hmac.new(_key(one), signed, hashlib.sha256).digest()) for one in secrets
    ]
    matches = [hmac.compare_digest(one.encode(), other) for one in given for other in expected]
    if not any(matches):
        raise WebhookError("The signature is not right.")
    try:
        return json.loads(content)
    except ValueError:
        raise WebhookError("The body is no JSON.") from None
