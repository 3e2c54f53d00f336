// What is done natively that vendor A's own paths would do: the paths below its base that are not served. Data.
import type { NativeCalls } from '../shapes.ts';

export const vendorAInstead: NativeCalls = [
  ['/emails/receiving', 'GET /api/practices/{id}/inbound/messages'],
  ['/emails/metrics', 'GET /api/practices/{id}/overview'],
  ['/emails/{id}/attachments', 'GET /api/practices/{id}/messages/{messageID}/source'],
  ['/emails/{id}/share', 'GET /api/practices/{id}/messages/{messageID}/source'],
  ['/domains/{id}/verify', 'POST /api/practices/{id}/check-dns'],
  ['/domains', 'POST /api/practices/{id}/custom-domain'],
  ['/api-keys', 'POST /api/practices/{id}/api-tokens'],
  ['/oauth', 'POST /api/practices/{id}/api-tokens'],
  ['/audiences', 'POST /api/practices/{id}/lists'],
  ['/segments', 'POST /api/practices/{id}/lists'],
  ['/topics', 'POST /api/practices/{id}/lists'],
  ['/contacts/imports', 'POST /api/practices/{id}/lists/{listID}/subscribers/import'],
  ['/contacts', 'POST /api/practices/{id}/lists/{listID}/subscribers'],
  ['/contact-properties', 'POST /api/practices/{id}/lists/{listID}/subscribers'],
  ['/broadcasts', 'POST /api/practices/{id}/campaigns'],
  // There are no sequences: the program that knows of the event sends.
  ['/automations', 'POST /api/practices/{id}/send'],
  ['/events', 'POST /api/practices/{id}/send'],
  ['/templates', 'POST /api/practices/{id}/templates'],
  ['/webhooks', 'POST /api/practices/{id}/webhooks'],
  ['/inboxes', 'GET /api/practices/{id}/inbound/messages'],
  ['/logs', 'GET /api/practices/{id}/events'],
  ['/suppressions', 'GET /api/practices/{id}/suppression'],
  ['/usage', 'GET /api/practices/{id}/overview'],
];
