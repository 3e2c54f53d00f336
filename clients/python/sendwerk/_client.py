import http.client
import json
import random
import re
import socket
import ssl
import time
import urllib.parse
import uuid
from typing import Any, BinaryIO, Dict, Iterator, List, Mapping, NamedTuple, Optional, Tuple, Union

from ._errors import SendwerkError, error_of
from ._operations import OPERATIONS, VERSION, Methods, Operation

_FIRST_WAIT_S = 0.5
_LONGEST_WAIT_S = 20.0
# Doing one of these twice is as doing it once (RFC 9110 section 9.2.2).
_REPEATABLE = ("GET", "PUT", "DELETE")
_OPTIONS = ("body", "headers", "idempotency_key", "timeout")
_CHUNK_BYTES = 64 * 1024
_RECONNECT_S = 1.0


class Answer(NamedTuple):
    """The whole of an answer: the ETag is in its headers."""

    status: int
    headers: Mapping[str, str]
    body: Any


class Event(NamedTuple):
    id: Optional[str]
    event: str
    data: Any


class _Request(NamedTuple):
    method: str
    target: str
    headers: Dict[str, str]
    body: Union[bytes, BinaryIO, None]
    timeout: float
    is_repeatable: bool


def _origin(given: str) -> urllib.parse.SplitResult:
    """A token over plain HTTP can be read by every network on its way."""
    url = urllib.parse.urlsplit(given)
    if url.scheme not in ("http", "https") or not url.hostname or url.username or url.query:
        raise ValueError("url: expected the address of the service, as https://mail.example.com")
    host = url.hostname
    is_loopback = host in ("localhost", "::1") or host.endswith(".localhost") or re.fullmatch(r"127(\.\d{1,3}){3}", host)
    if url.scheme == "http" and not is_loopback:
        raise ValueError("url: http:// is for this computer alone (localhost); use https://")
    return url


def _secret(name: str, value: Optional[str]) -> Optional[str]:
    if value and re.fullmatch(r"[\x21-\x7e]+", value) is None:
        raise ValueError(f"{name}: it has characters that no token has, such as a space or a line break")
    return value or None


def _in_query(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return value.isoformat() if hasattr(value, "isoformat") else str(value)


def _snake(name: str) -> str:
    return re.sub("([a-z0-9])([A-Z])", r"\1_\2", name).lower()


def _named(name: str, given: Mapping[str, Any]) -> Tuple[str, Any]:
    """How Python calls a parameter, with its value: names that Python keeps for itself end with ``_``."""
    snake = _snake(name)
    key = f"{snake}_" if f"{snake}_" in given else snake
    return key, given.get(key)


def _read(response: http.client.HTTPResponse) -> Any:
    content = response.read()
    if response.status in (204, 304):
        return None
    kind = response.headers.get_content_type()
    if kind == "application/json" or kind.endswith("+json"):
        return json.loads(content)
    if kind.startswith("text/") or kind == "application/yaml":
        return content.decode(response.headers.get_content_charset("utf-8"), "replace")
    return content


def _may_try_again(error: SendwerkError, is_repeatable: bool) -> bool:
    """Nothing was done where the service refused because of its limits, or while the first request still runs."""
    if error.status == 429 or error.code == "idempotency_in_progress":
        return True
    return is_repeatable and (error.status == 0 or error.status >= 500)


def _wait_before(attempt: int, retry_after: Optional[float]) -> float:
    """The random half keeps clients apart that failed together. The server's own word is never undercut."""
    half = min(_LONGEST_WAIT_S, _FIRST_WAIT_S * 2**attempt) / 2
    return (half if retry_after is None else retry_after) + random.uniform(0, half)


class Sendwerk(Methods):
    """The client of Sendwerk's API: a method for each operation of ``/openapi.yaml``. It can be used by several threads."""

    def __init__(
        self,
        *,
        url: str,
        token: Optional[str] = None,
        admin_token: Optional[str] = None,
        practice: Optional[str] = None,
        retries: int = 3,
        retry_time: float = 60.0,
        timeout: float = 30.0,
        user_agent: Optional[str] = None,
        ssl_context: Optional[ssl.SSLContext] = None,
    ) -> None:
        self._url = _origin(url)
        self.__token = _secret("token", token)
        self.__admin_token = _secret("admin_token", admin_token)
        self._practice = practice
        self._retries = retries
        self._retry_time = retry_time
        self._timeout = timeout
        self._agent = f"sendwerk-python/{VERSION}" + (f" {user_agent}" if user_agent else "")
        self._ssl = ssl_context

    def __repr__(self) -> str:
        return f"Sendwerk(url={self._url.geturl()!r}, practice={self._practice!r})"

    def call(self, operation: str, **given: Any) -> Answer:
        """As the method of that name, but the whole answer."""
        return self._send(self._request(operation, given), _read)

    def stream(self, operation: str, **given: Any) -> Iterator[bytes]:
        """The body in pieces, for what is too large for memory."""
        response = self._send(self._request(operation, given), None).body
        try:
            while True:
                chunk = response.read1(_CHUNK_BYTES)
                if not chunk:
                    return
                yield chunk
        except (OSError, http.client.HTTPException):
            raise SendwerkError("The connection was lost.", code="network_error") from None
        finally:
            response.close()

    def each(self, operation: str, **given: Any) -> Iterator[Any]:
        """The rows of all pages, one page after the other."""
        if operation not in OPERATIONS or not OPERATIONS[operation].is_paged:
            raise TypeError(f"{operation} has no pages")
        while True:
            page = self.call(operation, **given).body
            yield from page["data"]
            if page["next_cursor"] is None:
                return
            given["cursor"] = page["next_cursor"]

    def events(self, *, last_event_id: Optional[str] = None, **given: Any) -> Iterator[Event]:
        """What happens from now on, or after that place, as it happens; a lost connection is opened again."""
        own = {**(given.pop("headers", None) or {}), "Accept": "text/event-stream"}
        while True:
            headers = own if last_event_id is None else {**own, "Last-Event-ID": last_event_id}
            try:
                for event in _events_in(self.stream("list_events", headers=headers, **given)):
                    last_event_id = event.id or last_event_id
                    yield event
            except SendwerkError as error:
                if error.status != 0:
                    raise
            time.sleep(_RECONNECT_S)

    def _credential(self, operation: Operation) -> Dict[str, str]:
        if operation.credential == "none":
            return {}
        if operation.credential == "admin" and self.__admin_token is not None:
            return {"X-Admin-Token": self.__admin_token}
        return {} if self.__token is None else {"Authorization": f"Bearer {self.__token}"}

    def _target(self, name: str, operation: Operation, given: Mapping[str, Any]) -> str:
        known = set(_OPTIONS)

        def fill(match: "re.Match[str]") -> str:
            key, value = _named(match[1], given)
            known.add(key)
            if value is None and key == "id" and operation.path.startswith("/api/practices/{id}"):
                value = self._practice
            text = "" if value is None else str(value)
            if text in ("", ".", ".."):
                raise TypeError(f"{name}: {key} is needed")
            return urllib.parse.quote(text, safe="")

        path = re.sub(r"\{(\w+)\}", fill, operation.path)
        search: List[Tuple[str, str]] = []
        for parameter in operation.query:
            key, value = _named(parameter, given)
            known.add(key)
            several = value if isinstance(value, (list, tuple)) else [value]
            search.extend((parameter, _in_query(one)) for one in several if one is not None)
        unknown = [key for key in given if key not in known]
        if unknown:
            raise TypeError(f"{name}: {unknown[0]} is no parameter of it")
        query = f"?{urllib.parse.urlencode(search)}" if search else ""
        return f"{self._url.path.rstrip('/')}{path}{query}"

    def _request(self, name: str, given: Mapping[str, Any]) -> _Request:
        operation = OPERATIONS.get(name)
        if operation is None:
            raise TypeError(f"the API has no operation {name}")
        headers = {"Accept": "application/json, */*;q=0.5", "User-Agent": self._agent, **self._credential(operation)}
        body = given.get("body")
        content: Union[bytes, BinaryIO, None] = None
        if operation.text_type is not None and (isinstance(body, (str, bytes)) or hasattr(body, "read")):
            content = body.encode() if isinstance(body, str) else body
            headers["Content-Type"] = operation.text_type
        elif body is not None:
            content = json.dumps(body).encode()
            headers["Content-Type"] = "application/json"
        has_own_key = isinstance(body, Mapping) and body.get("idempotency_key") is not None
        key = given.get("idempotency_key") or (None if has_own_key else str(uuid.uuid4()))
        if operation.takes_key and key is not None:
            headers["Idempotency-Key"] = key
        if operation.takes_practice and self._practice is not None:
            headers["X-Service-Practice"] = self._practice
        for own, value in (given.get("headers") or {}).items():
            headers = {one: text for one, text in headers.items() if one.lower() != own.lower()}
            headers[own] = value
        # With If-Match the second of two equal requests is refused.
        is_fixed = any(one.lower() == "if-match" for one in headers)
        is_repeatable = operation.takes_key or (operation.method in _REPEATABLE and not is_fixed)
        target = self._target(name, operation, given)
        timeout = given.get("timeout") or self._timeout
        return _Request(operation.method, target, headers, content, timeout, is_repeatable)

    def _send(self, request: _Request, read: Any) -> Answer:
        end = time.monotonic() + self._retry_time
        most = 0 if hasattr(request.body, "read") else self._retries
        attempt = 0
        while True:
            try:
                return self._attempt(request, read)
            except SendwerkError as error:
                wait = _wait_before(attempt, error.retry_after)
                is_last = attempt >= most or time.monotonic() + wait > end
                if is_last or not _may_try_again(error, request.is_repeatable):
                    raise
            time.sleep(wait)
            attempt += 1

    def _connection(self, timeout: float) -> http.client.HTTPConnection:
        host, port = self._url.hostname or "", self._url.port
        if self._url.scheme == "http":
            return http.client.HTTPConnection(host, port, timeout=timeout)
        context = self._ssl or ssl.create_default_context()
        return http.client.HTTPSConnection(host, port, timeout=timeout, context=context)

    def _attempt(self, request: _Request, read: Any) -> Answer:
        """Redirects are not followed: the token is for this address alone."""
        connection = self._connection(request.timeout)
        is_handed_on = False
        try:
            connection.request(request.method, request.target, request.body, request.headers)
            response = connection.getresponse()
            if response.status >= 400:
                raise error_of(response.status, response.headers, response.read())
            answer = Answer(response.status, response.headers, response if read is None else read(response))
            is_handed_on = read is None
            return answer
        except socket.timeout:
            raise SendwerkError(f"No answer came within {request.timeout} s.", code="timeout") from None
        except (OSError, http.client.HTTPException) as error:
            text = "The service could not be reached, or the connection was lost."
            raise SendwerkError(text, code="network_error") from error
        finally:
            if not is_handed_on:
                connection.close()


def _events_in(chunks: Iterator[bytes]) -> Iterator[Event]:
    rest = b""
    for chunk in chunks:
        *blocks, rest = re.split(rb"\r?\n\r?\n", rest + chunk)
        for block in blocks:
            found: Dict[str, str] = {"event": "message"}
            data = []
            for line in block.decode().splitlines():
                name, _, value = line.partition(":")
                value = value[1:] if value.startswith(" ") else value
                if name == "data":
                    data.append(value)
                elif name in ("id", "event"):
                    found[name] = value
            if data:
                yield Event(found.get("id"), found["event"], json.loads("\n".join(data)))
