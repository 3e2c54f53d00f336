// What the page of a message has loaded.
import type { Event, Message, Suppression, Timeline } from '#api';

export interface Held {
  readonly message: Message;
  readonly timeline: Timeline['data'];
  readonly events: readonly Event[];
  /** The suppressions of its recipients, as far as they may be seen. */
  readonly suppressions: readonly Suppression[];
}
