import email.utils
import json
import time
from typing import Any, List, Mapping, Optional


class SendwerkError(Exception):
    """What a call fails with.

    ``code`` is that of the API's table of errors; where no answer came it is ``network_error`` or ``timeout``, and
    ``status`` is 0. Neither the token nor the body that was sent is in it.
    """

    def __init__(
        self,
        message: str,
        *,
        code: str,
        status: int = 0,
        hint: Optional[str] = None,
        fields: Optional[List[Any]] = None,
        request_id: Optional[str] = None,
        retry_after: Optional[float] = None,
        body: Any = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.code = code
        self.status = status
        self.hint = hint
        self.fields = fields or []
        self.request_id = request_id
        self.retry_after = retry_after
        self.body = body


def _seconds(header: Optional[str]) -> Optional[float]:
    """RFC 9110 section 10.2.3; None where the header is absent or says nothing usable."""
    if not header:
        return None
    if header.isdigit():
        return float(header[:9])
    try:
        return max(0.0, email.utils.parsedate_to_datetime(header).timestamp() - time.time())
    except (TypeError, ValueError):
        return None


def error_of(status: int, headers: Mapping[str, str], content: bytes) -> SendwerkError:
    """Answers that are not the service's own, as those of a proxy, have the code ``http_error``."""
    try:
        body = json.loads(content)
    except ValueError:
        body = None
    about = body if isinstance(body, dict) and isinstance(body.get("code"), str) else {}
    fields = about.get("fields")
    return SendwerkError(
        f"{about['code']}: {about.get('error')}" if about else f"The server answered {status}.",
        code=about.get("code", "http_error"),
        status=status,
        hint=about.get("hint"),
        fields=fields if isinstance(fields, list) else None,
        request_id=headers.get("X-Request-Id") or about.get("request_id"),
        retry_after=_seconds(headers.get("Retry-After")),
        body=body,
    )
