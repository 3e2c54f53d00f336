// What is refused of live streams, alerts and webhooks, in German, by the English texts.
import type { Sentences } from '#src/kernel/say.ts';

export const words = {
  'The practice has too many live streams.': 'Die Praxis hat zu viele Live-Streams.',
  'At most {} at once: end one, or let several windows share one.':
    'Es sind höchstens {} zugleich möglich: Beenden Sie einen oder lassen Sie mehrere Fenster einen teilen.',
  'There are too many live streams.': 'Es gibt zu viele Live-Streams.',
  'Read the pages of the same path until there is room, then open the stream from their `last_event_id`.':
    'Lesen Sie die Seiten desselben Pfads, bis Platz ist, und öffnen Sie den Stream dann ab deren `last_event_id`.',
  'may be in the request once': 'darf einmal in der Anfrage stehen',
  'expected the id of an event of this stream': 'erwartet wird die Kennung eines Ereignisses dieses Streams',
  'belongs to pages, not to the live stream': 'gehört zu den Seiten, nicht zum Live-Stream',
  'belongs to the live stream: ask for it with Accept: {}':
    'gehört zum Live-Stream: Fordern Sie ihn mit Accept: {} an',
  'There is no such alert.': 'Diese Meldung im Chat gibt es nicht.',
  'A practice has at most {} alerts.': 'Eine Praxis hat höchstens {} Meldungen im Chat.',
  'Delete one that is not used any more, or let one report more events.':
    'Löschen Sie eine, die nicht mehr gebraucht wird, oder lassen Sie eine mehr Ereignisse melden.',
  'An alert': 'Eine Meldung im Chat',
  'alerts report no such event': 'dieses Ereignis wird im Chat nicht gemeldet',
  'alerts report no such event; did you mean `{}`?':
    'dieses Ereignis wird im Chat nicht gemeldet; meinten Sie `{}`?',
  'There is no such webhook.': 'Diesen Webhook gibt es nicht.',
  'A practice has at most {} webhooks.': 'Eine Praxis hat höchstens {} Webhooks.',
  'Delete one that is not used any more, or add the events to one that is there.':
    'Löschen Sie einen, der nicht mehr gebraucht wird, oder geben Sie die Ereignisse einem vorhandenen.',
  'All that failed is delivered again {} times a minute at most.':
    'Alles Gescheiterte wird höchstens {}-mal in der Minute neu zugestellt.',
  'Deliveries of the practice are being put back already.':
    'Zustellungen der Praxis werden schon wieder eingereiht.',
  'The webhook is disabled.': 'Der Webhook ist abgeschaltet.',
  'Enable it first: PATCH it with `status: "active"`.':
    'Schalten Sie ihn zuerst ein: PATCH mit `status: "active"`.',
  'There is no such delivery.': 'Diese Zustellung gibt es nicht.',
  'A test is not delivered twice.': 'Ein Test wird nicht zweimal zugestellt.',
  'Send another test.': 'Senden Sie einen neuen Test.',
  'The event, or its mail, is no longer kept.': 'Das Ereignis oder die Mail dazu wird nicht mehr aufbewahrt.',
  'A delivery can be replayed as long as its data is kept: by the retention of events, and of mail received.':
    'Eine Zustellung lässt sich wiederholen, solange ihre Daten aufbewahrt werden: nach den Fristen für Ereignisse und für empfangene Mail.',
  'no such event; /reference lists them': 'dieses Ereignis gibt es nicht; /reference nennt alle',
  'no such event; did you mean `{}`?': 'dieses Ereignis gibt es nicht; meinten Sie `{}`?',

  // Fields that schemas check.
  'each event once': 'jedes Ereignis einmal',
  'names nothing to change': 'nennt nichts, was zu ändern ist',
  'name each event once': 'nennen Sie jedes Ereignis einmal',
  'name what is to be changed': 'nennen Sie, was zu ändern ist',
} satisfies Sentences;
