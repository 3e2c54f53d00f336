// All pages: where they are, what they are called, who sees them, and the chunk that holds them. Navigation, palette and router
// are made of this list.
import type { PageEntry } from './page-entry.ts';
import { dailyPages } from './pages/daily.ts';
import { developPages } from './pages/develop.ts';
import { operatorPages as operating, ownPages as own } from './pages/others.ts';
import { setUpPages } from './pages/set-up.ts';

/** Below `/app/{practiceId}/`. */
export const practicePages: readonly PageEntry[] = [...dailyPages, ...developPages, ...setUpPages];
/** Below `/app/`. */
export const operatorPages: readonly PageEntry[] = operating;
export const ownPages: readonly PageEntry[] = own;
