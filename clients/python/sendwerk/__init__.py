"""The client of Sendwerk's API, with the standard library alone."""

from ._client import VERSION, Answer, Event, Sendwerk
from ._errors import SendwerkError
from ._webhook import WebhookError, verify_webhook

__version__ = VERSION
__all__ = ["Answer", "Event", "Sendwerk", "SendwerkError", "WebhookError", "verify_webhook"]
