// What a page of the dashboard is; see pages.ts.
import type { FunctionComponent } from 'preact';

export interface PageProps {
  /** Of the path: the id of the record that the page shows. */
  readonly item?: string;
}

interface PageModule {
  readonly default: FunctionComponent<PageProps>;
}

export type Group = 'daily' | 'develop' | 'practice' | 'operator' | 'own';

export interface PageEntry {
  /** Path below the practice, or below `/app` where it belongs to none. `:item` is the record's id. */
  readonly path: string;
  readonly group: Group;
  /** In the navigation; absent: reached from another page. */
  readonly title?: { readonly de: string; readonly en: string };
  /** One of these permissions shows it; absent: every member. Those of the group `operator` are the operator's alone. */
  readonly needs?: readonly string[];
  readonly load: () => Promise<PageModule>;
}
