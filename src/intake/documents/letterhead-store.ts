// The letterhead in the tenant's file.
import { perConnection, type TenantDb } from '#src/kernel/db/sqlite.ts';

export interface LetterheadRow {
  /** The id of an image. */
  logo: string | null;
  logo_alt: string;
  /** Such as `#0b57d0`. */
  colour: string | null;
  signature: string | null;
}

const NONE: LetterheadRow = { logo: null, logo_alt: '', colour: null, signature: null };

export const letterheadStore = perConnection((db: TenantDb) => {
  const get = db.prepare<[], LetterheadRow>('SELECT logo, logo_alt, colour, signature FROM letterheads');
  const put = db.prepare<LetterheadRow>(
    `INSERT INTO letterheads (number, logo, logo_alt, colour, signature) VALUES (1, :logo, :logo_alt, :colour, :signature)
     ON CONFLICT (number) DO UPDATE SET logo = :logo, logo_alt = :logo_alt, colour = :colour, signature = :signature`,
  );
  return {
    get: (): LetterheadRow => get.get() ?? NONE,
    put: (row: LetterheadRow): void => {
      put.run(row);
    },
  };
});
