// For who integrates the service.
import type { PageEntry } from '#dashboard/page-entry.ts';

export const developPages: readonly PageEntry[] = [
  {
    path: 'send',
    group: 'develop',
    title: { de: 'Senden und prüfen', en: 'Send and check' },
    needs: ['messages.send'],
    load: () => import('./send/page.tsx'),
  },
  {
    path: 'events',
    group: 'develop',
    title: { de: 'Ereignisse', en: 'Events' },
    needs: ['messages.view'],
    load: () => import('./events/page.tsx'),
  },
  {
    path: 'webhooks',
    group: 'develop',
    title: { de: 'Webhooks', en: 'Webhooks' },
    needs: ['webhooks.manage'],
    load: () => import('./webhooks/page.tsx'),
  },
  {
    path: 'webhooks/:item',
    group: 'develop',
    needs: ['webhooks.manage'],
    load: () => import('./webhooks/page.tsx'),
  },
  {
    path: 'alerts',
    group: 'develop',
    title: { de: 'Meldungen im Chat', en: 'Chat alerts' },
    needs: ['webhooks.manage'],
    load: () => import('./alerts/page.tsx'),
  },
  {
    path: 'tokens',
    group: 'develop',
    title: { de: 'API-Tokens', en: 'API tokens' },
    needs: ['tokens.manage'],
    load: () => import('./tokens/page.tsx'),
  },
  {
    path: 'examples',
    group: 'develop',
    title: { de: 'API-Beispiele', en: 'API examples' },
    load: () => import('./examples/page.tsx'),
  },
  {
    path: 'captures',
    group: 'develop',
    title: { de: 'Abgefangene Mail', en: 'Captured mail' },
    needs: ['messages.view_content'],
    load: () => import('./captures/page.tsx'),
  },
  {
    path: 'captures/:item',
    group: 'develop',
    needs: ['messages.view_content'],
    load: () => import('./capture/page.tsx'),
  },
];
