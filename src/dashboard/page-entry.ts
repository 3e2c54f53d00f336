// What a page of the dashboard is; pages.ts lists them.
import type { FunctionComponent } from 'preact';

export interface PageProps {
  /** The id in the path of the record that the page shows. */
  readonly item?: string;
}

export interface PageEntry {
  /** Path below the practice, or below `/app` where it belongs to none. `:item` is the record's id. */
  readonly path: string;
  readonly group: 'daily' | 'reach' | 'develop' | 'practice' | 'operator' | 'own';
  /** The permission that shows it; absent: every member. Those of the group `operator` are the operator's alone. */
  readonly needs?: string;
  readonly load: () => Promise<{ readonly default: FunctionComponent<PageProps> }>;
}
