// What does natively what vendor B's other calls do; the longer of two beginnings comes first. Pure.
import type { NativeCalls } from '../shapes.ts';

const practice = '/api/practices/{id}';

export const vendorBInstead: NativeCalls = [
  ['/email/bulk', `POST ${practice}/send/bulk`],
  ['/templates/validate', `POST ${practice}/templates/{templateID}/preview`],
  ['/templates', `POST ${practice}/templates`],
  ['/messages/inbound', `GET ${practice}/inbound/messages`],
  ['/message-streams', `GET ${practice}/routes`],
  ['/webhooks', `POST ${practice}/webhooks`],
  ['/triggers', `PATCH ${practice}/inbound`],
  ['/servers', `POST ${practice}/projects`],
  ['/server', `GET ${practice}`],
  ['/domains', `POST ${practice}/custom-domain`],
  ['/senders', `POST ${practice}/custom-domain`],
  ['/stats/outbound/tracked', `GET ${practice}/rates`],
  ['/stats/outbound/opens', `GET ${practice}/messages/{messageID}/events`],
  ['/stats/outbound/clicks', `GET ${practice}/messages/{messageID}/events`],
  ['/data-removals', `POST ${practice}/people/erase`],
];
