// What the team of a practice and the operator do.
import type { Act } from '../scene.ts';
import { backupActs } from './running-backups.ts';
import { followerActs } from './running-followers.ts';
import { importActs } from './running-imports.ts';
import { keyActs } from './running-keys.ts';
import { madeActs } from './running-made.ts';
import { movingActs } from './running-moving.ts';
import { peopleActs } from './running-people.ts';
import { practiceActs } from './running-practice.ts';
import { serviceActs } from './running-service.ts';
import { suppressionActs } from './running-suppressions.ts';
import { teamActs } from './running-team.ts';
import { tokenActs } from './running-tokens.ts';

/** The acts by what they are about. */
export const runningThemes: readonly (readonly Act[])[] = [
  serviceActs,
  practiceActs,
  suppressionActs,
  importActs,
  peopleActs,
  teamActs,
  tokenActs,
  keyActs,
  followerActs,
  madeActs,
  backupActs,
  movingActs,
];
