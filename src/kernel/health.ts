// What a room says of its parts: what the operator's page and programs that watch the daemon see of each.
import type { z } from 'zod';

/** `degraded`: it does less than it should, and others are served; `failing`: no one can be served. */
export type HealthState = 'ok' | 'degraded' | 'failing';

export interface HealthPart<Schema extends z.ZodType = z.ZodType> {
  /** What the operator sees. A field that it does not name is left out. */
  readonly schema: Schema;
  now(): z.input<Schema>;
  /** `ok` where absent. */
  state?(facts: z.output<Schema>): HealthState;
  /** What strangers see of it; nothing where absent. Nothing in it may change with a single mail. */
  readonly shown?: z.ZodType;
}

export const healthPart = <Schema extends z.ZodType>(part: HealthPart<Schema>): HealthPart => part;
