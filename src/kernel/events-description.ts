// What the room of webhooks hands to the descriptions of the API: which events there are, and what a delivery holds.
import type { z } from 'zod';

export interface DescribedEvent {
  readonly name: string;
  readonly firedBy: string;
  readonly needsTracking: boolean;
  /** Among those of a chat alert that names none. */
  readonly alerts: boolean;
  /** Shape of `data`. */
  readonly data: z.ZodObject;
}

export interface EventsDescription {
  readonly events: () => readonly DescribedEvent[];
  /** The body of a delivery. */
  readonly envelope: (event: string, data: z.ZodType) => z.ZodObject;
  /** Header fields of a delivery, with what each says. */
  readonly headers: Readonly<Record<string, string>>;
  /** The one that is not on every delivery. */
  readonly optionalHeader: string;
  /** What the events of a message, and of a suppression, have in common. */
  readonly messageData: z.ZodObject;
  readonly suppressionData: z.ZodObject;
}
