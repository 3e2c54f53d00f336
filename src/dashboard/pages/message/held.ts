// What the page of a message has loaded.

import type { Event, Message, Suppression, Timeline } from '#api';
import type { Replies } from '#dashboard/parts/replies/replies.ts';

export interface Held {
  readonly replies: () => Replies;
  readonly message: Message;
  readonly timeline: Timeline['data'];
  readonly events: readonly Event[];
  /** The suppressions of its recipients, as far as they may be seen. */
  readonly suppressions: readonly Suppression[];
}
