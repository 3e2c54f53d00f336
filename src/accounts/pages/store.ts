// How the tenant's public pages look, in the tenant's file.
import { tenantStore } from '#src/accounts/tenants/store.ts';
import { perConnection, type TenantDb } from '#src/kernel/db/sqlite.ts';
import type { Look } from '#src/kernel/page.ts';

export interface PageSettingsRow {
  /** `#rrggbb` in lower case. */
  colour: string | null;
  logo: Buffer | null;
  logo_type: string | null;
}

export const pageSettingsStore = perConnection((db: TenantDb) => {
  const get = db.prepare<[], PageSettingsRow>('SELECT colour, logo, logo_type FROM page_settings');
  const put = db.prepare<PageSettingsRow>(
    `INSERT INTO page_settings (only, colour, logo, logo_type) VALUES (1, :colour, :logo, :logo_type)
     ON CONFLICT (only) DO UPDATE SET colour = excluded.colour, logo = excluded.logo, logo_type = excluded.logo_type`,
  );
  return {
    get: (): PageSettingsRow => get.get() ?? { colour: null, logo: null, logo_type: null },
    put: (row: PageSettingsRow): void => {
      put.run(row);
    },
  };
});

export const lookOf = (db: TenantDb): Look => {
  const { colour, logo, logo_type } = pageSettingsStore(db).get();
  return {
    name: tenantStore(db).practice().name,
    colour,
    logo: logo === null || logo_type === null ? null : { type: logo_type, content: logo },
  };
};
