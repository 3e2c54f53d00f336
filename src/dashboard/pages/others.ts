// What belongs to no practice: the person's own account, the list of practices, and the operator's pages.
import type { PageEntry } from '#dashboard/page-entry.ts';

export const operatorPages: readonly PageEntry[] = [
  {
    path: 'operator/practices',
    group: 'operator',
    title: { de: 'Alle Praxen', en: 'All practices' },
    load: () => import('./operator-practices/page.tsx'),
  },
  {
    path: 'operator/queues',
    group: 'operator',
    title: { de: 'Warteschlangen', en: 'Queues' },
    load: () => import('./queues/page.tsx'),
  },
  {
    path: 'operator/tickets',
    group: 'operator',
    title: { de: 'Meldungen', en: 'Reports' },
    load: () => import('./tickets/page.tsx'),
  },
  { path: 'operator/tickets/:item', group: 'operator', load: () => import('./tickets/page.tsx') },
  {
    path: 'operator/waitlist',
    group: 'operator',
    title: { de: 'Warteliste', en: 'Waiting list' },
    load: () => import('./waitlist/page.tsx'),
  },
  {
    path: 'operator/health',
    group: 'operator',
    title: { de: 'Zustand', en: 'Health' },
    load: () => import('./health/page.tsx'),
  },
  {
    path: 'operator/audit',
    group: 'operator',
    title: { de: 'Protokoll', en: 'Audit' },
    load: () => import('./audit/page.tsx'),
  },
];
export const ownPages: readonly PageEntry[] = [
  {
    path: 'practices',
    group: 'own',
    title: { de: 'Praxen', en: 'Practices' },
    load: () => import('./practices/page.tsx'),
  },
  {
    path: 'account',
    group: 'own',
    title: { de: 'Konto', en: 'Account' },
    load: () => import('./account/page.tsx'),
  },
];
