// What of webhooks and alerts is sealed: see kernel/sealed-place.ts.
import type { SealedPlace, SealedPlaces } from '#src/kernel/sealed-place.ts';
import { contextOf, type What } from './webhooks/sign.ts';

const ofWebhook = (column: string, what: What): SealedPlace => ({
  table: 'webhooks',
  keys: ['number'],
  column,
  purpose: 'webhooks',
  with: ['id'],
  boundTo: ({ id }) => contextOf(what, String(id)),
});

export const sealed: SealedPlaces = {
  tenant: [
    ofWebhook('sealed_url', 'url'),
    ofWebhook('sealed_secret', 'secret'),
    ofWebhook('sealed_former', 'secret'),
    {
      table: 'alerts',
      keys: ['number'],
      column: 'sealed_url',
      purpose: 'alerts',
      with: ['id'],
      boundTo: ({ id }) => String(id),
    },
  ],
};
