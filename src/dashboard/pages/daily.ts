// What an office does every day.
import type { PageEntry } from '#dashboard/page-entry.ts';

export const dailyPages: readonly PageEntry[] = [
  {
    path: 'overview',
    group: 'daily',
    title: { de: 'Übersicht', en: 'Overview' },
    needs: ['stats.view'],
    load: () => import('./overview/page.tsx'),
  },
  {
    path: 'post',
    group: 'daily',
    title: { de: 'Post', en: 'Mail' },
    needs: ['messages.view'],
    load: () => import('./post/page.tsx'),
  },
  { path: 'post/:item', group: 'daily', needs: ['messages.view'], load: () => import('./message/page.tsx') },
  {
    path: 'inbox',
    group: 'daily',
    title: { de: 'Posteingang', en: 'Inbox' },
    needs: ['inbound.view'],
    load: () => import('./inbox/page.tsx'),
  },
  {
    path: 'inbox/:item',
    group: 'daily',
    needs: ['inbound.view'],
    load: () => import('./inbound/page.tsx'),
  },
  {
    path: 'people',
    group: 'daily',
    title: { de: 'Personen', en: 'People' },
    needs: ['lists.manage'],
    load: () => import('./people/page.tsx'),
  },
  { path: 'people/:item', group: 'daily', needs: ['lists.manage'], load: () => import('./person/page.tsx') },
  {
    path: 'templates',
    group: 'daily',
    title: { de: 'Vorlagen', en: 'Templates' },
    needs: ['messages.send'],
    load: () => import('./templates/page.tsx'),
  },
  {
    path: 'templates/:item',
    group: 'daily',
    needs: ['messages.send'],
    load: () => import('./template/page.tsx'),
  },
  {
    path: 'lists',
    group: 'daily',
    title: { de: 'Listen', en: 'Lists' },
    needs: ['lists.manage'],
    load: () => import('./lists/page.tsx'),
  },
  {
    path: 'lists/:item',
    group: 'daily',
    needs: ['lists.manage'],
    load: () => import('./list/page.tsx'),
  },
  {
    path: 'campaigns',
    group: 'daily',
    title: { de: 'Rundschreiben', en: 'Campaigns' },
    needs: ['campaigns.send'],
    load: () => import('./campaigns/page.tsx'),
  },
  {
    path: 'campaigns/:item',
    group: 'daily',
    needs: ['campaigns.send'],
    load: () => import('./campaign/page.tsx'),
  },
];
