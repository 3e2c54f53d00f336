// What those do who receive, and the world from which mail comes: reading, answering, reporting, leaving, joining.
import type { Act } from '../scene.ts';
import { heldActs } from './receiving-held.ts';
import { inboundActs } from './receiving-inbound.ts';
import { joiningActs } from './receiving-joining.ts';
import { journeyActs } from './receiving-journeys.ts';
import { leavingActs } from './receiving-leaving.ts';
import { openActs } from './receiving-opens.ts';
import { reportActs } from './receiving-reports.ts';

/** The acts by what they are about. */
export const receivingThemes: readonly (readonly Act[])[] = [
  inboundActs,
  heldActs,
  reportActs,
  openActs,
  leavingActs,
  joiningActs,
  journeyActs,
];
