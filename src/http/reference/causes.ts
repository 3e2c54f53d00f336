// Why a request is refused with each code, for the page of errors.
import type { ErrorCode } from '#src/kernel/errors.ts';

export const causes: Readonly<Record<ErrorCode, string>> = {
  invalid_json:
    'The body is not one whole JSON document in UTF-8, or has no `Content-Type` that the call takes.',
  invalid_request:
    'A field of the path, the query or the body is missing, unknown, or has a value that its description does not allow. `fields` names every fault at once.',
  unauthorized:
    'The request has no credential, or one that is unknown, revoked, expired, or used from an address that it is not for.',
  plan_cap_reached: 'The practice has sent all mails that its plan has for this month.',
  forbidden:
    'The credential is right, but may not do this. `permission` names what it lacks. A browser’s session also gets this without its `X-CSRF-Token`.',
  sign_in_again: 'The operator’s change needs a sign-in of the last 15 minutes, and this session is older.',
  not_found:
    'Nothing is at this path, or the record does not exist. A record of another practice answers the same, so that nobody can find out what exists.',
  tenant_paused:
    'The practice is paused, by its owner, by the operator, or by the service because too many mails bounced or were reported.',
  idempotency_conflict:
    'The `Idempotency-Key` was used in the last 24 hours for a request with another body.',
  idempotency_in_progress:
    'Another request with the same `Idempotency-Key` is being worked on at this moment.',
  version_conflict:
    'Somebody else has changed the record since it was read: `If-Match` names an older version. Nothing was written.',
  conflict: 'The record is in a state that does not allow this, or another one has the same name.',
  form_closed: 'The form on which a person wanted to subscribe is closed, or its list is archived.',
  billing_not_configured: 'The installation takes no payments.',
  gone: 'The path existed in an earlier version and was retired.',
  body_too_large: 'The body, with all attachments in base64, is larger than `limit_bytes`.',
  unsupported_media_type:
    'The `Content-Type` is not among those that the call takes, the body is compressed, or an attachment has a format that is not accepted.',
  content_blocked:
    'The content was rated as spam or harmful by the rules or by a scanner. The message is kept with its reasons under `message_id` and is not sent.',
  kind_not_allowed_on_route:
    'A marketing kind of message was to go over a transactional route, or the other way round.',
  impressum_incomplete:
    'The practice lacks parts of its legal block, which mail must have. `missing` names them.',
  dkim_not_verified: 'The DKIM records of the domain in `from` were not found in DNS at the last check.',
  warmup_not_ready: 'The domain is new and does not take marketing mail on this day of its warm-up.',
  warmup_cap_reached: 'The domain is new and has sent all mails that its warm-up allows today.',
  consent_required:
    'Mail to a list needs the recorded consent of each recipient, and it is missing for those in `missing`.',
  no_recipients:
    'The campaign would reach nobody: everybody on its lists is left out. `left_out` counts them by reason.',
  promotional_on_transactional: 'The content reads as advertising, and the route is for transactional mail.',
  attachment_rejected: 'The attachment has a type or a name that is not allowed, or there are too many.',
  too_many_recipients: 'to, cc and bcc together have more addresses than one message may have.',
  safe_mode_recipient:
    'The practice or the installation is in safe mode, in which mail goes only to the simulator and to allowed addresses.',
  from_not_allowed: 'The domain of `from` does not belong to the practice.',
  header_not_allowed:
    'A field in `headers` is one that the service writes itself, or its value has a line break.',
  invalid_recipient: 'An address is not well-formed, or its domain cannot receive mail.',
  invalid_entry:
    'One entry of a batch is faulty. The code is in the answer to that entry; the others were taken.',
  rate_limited: 'More requests came with this credential, or from this address, than the limit allows.',
  token_slowed:
    'The token sends far more than it usually does, so the service slowed it until somebody has looked at it.',
  internal_error: 'The service has a defect. Nothing is wrong with the request.',
  unavailable:
    'The service has no room at this moment, or is going down for a restart. Nothing was accepted.',
};
