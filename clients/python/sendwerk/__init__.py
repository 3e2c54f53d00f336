"""The client of Sendwerk's API, with the standard library alone."""

from ._client import Answer, Event, Sendwerk
from ._errors import SendwerkError
from ._operations import VERSION as __version__
from ._webhook import WebhookError, verify_webhook

__all__ = ["Answer", "Event", "Sendwerk", "SendwerkError", "WebhookError", "__version__", "verify_webhook"]
