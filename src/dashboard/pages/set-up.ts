// For who sets up a practice and answers for it.
import type { PageEntry } from '#dashboard/page-entry.ts';

export const setUpPages: readonly PageEntry[] = [
  {
    path: 'start',
    group: 'practice',
    load: () => import('./start/page.tsx'),
  },
  {
    path: 'settings',
    group: 'practice',
    title: { de: 'Praxis', en: 'Practice' },
    needs: ['practice.manage'],
    load: () => import('./settings/page.tsx'),
  },
  {
    path: 'domain',
    group: 'practice',
    title: { de: 'Domain', en: 'Domain' },
    needs: ['domain.manage'],
    load: () => import('./domain/page.tsx'),
  },
  {
    path: 'deliverability',
    group: 'practice',
    title: { de: 'Zustellbarkeit', en: 'Deliverability' },
    needs: ['stats.view'],
    load: () => import('./deliverability/page.tsx'),
  },
  {
    path: 'members',
    group: 'practice',
    title: { de: 'Mitglieder', en: 'Members' },
    needs: ['members.manage'],
    load: () => import('./members/page.tsx'),
  },
  {
    path: 'projects',
    group: 'practice',
    title: { de: 'Projekte', en: 'Projects' },
    load: () => import('./projects/page.tsx'),
  },
  {
    path: 'legal',
    group: 'practice',
    title: { de: 'Impressum', en: 'Legal notice' },
    needs: ['practice.manage'],
    load: () => import('./legal/page.tsx'),
  },
  {
    path: 'retention',
    group: 'practice',
    title: { de: 'Aufbewahrung', en: 'Retention' },
    needs: ['stats.view'],
    load: () => import('./retention/page.tsx'),
  },
  {
    path: 'billing',
    group: 'practice',
    title: { de: 'Tarif', en: 'Plan' },
    needs: ['billing.manage'],
    load: () => import('./billing/page.tsx'),
  },
  {
    path: 'audit',
    group: 'practice',
    title: { de: 'Protokoll', en: 'Audit' },
    needs: ['audit.view'],
    load: () => import('./audit/page.tsx'),
  },
  {
    path: 'suppressions',
    group: 'practice',
    title: { de: 'Gesperrte Adressen', en: 'Suppressions' },
    needs: ['suppressions.manage'],
    load: () => import('./suppressions/page.tsx'),
  },
];
