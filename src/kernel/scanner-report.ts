// What the scanners said about a message, in the one form in which a score, a refusal and the gate's facts show it: without
// their addresses, versions and settings.
import { z } from 'zod';

const state = z
  .enum(['off', 'ok', 'skipped', 'failed'])
  .describe(
    'off: not configured; skipped: not asked, because there was nothing to scan or the scanner chose so; failed: it gave no ' +
      'answer or an invalid one',
  );

const listing = z.strictObject({
  host: z.string().describe('of a link'),
  list: z.string().describe('that has the host: its name, or `local`'),
  weight: z.number().describe('adds to the score; 100 blocks'),
});

export const scannerReport = z
  .strictObject({
    rspamd: z.strictObject({
      state,
      action: z.string().nullable(),
      score: z.number().nullable(),
      required: z.number().nullable().describe('the score at which it rejects'),
      symbols: z.array(z.string()).readonly(),
    }),
    clamd: z.strictObject({
      state,
      virus: z.string().nullable().describe('its name, if one was found'),
      attachment: z.string().nullable(),
    }),
    links: z.strictObject({ state, listed: z.array(listing).readonly() }),
  })
  .meta({ id: 'ScannerReport' });

export type ScannerReport = Readonly<z.infer<typeof scannerReport>>;
/** A block list that contains the host of a link; never a subscriber's private zone. */
export type Listing = Readonly<z.infer<typeof listing>>;
