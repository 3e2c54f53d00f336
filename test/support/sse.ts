// A client of server-sent events over node's own HTTP: what it gets is read as the standard says (WHATWG HTML §9.2.6), which
// is all that it shares with the service.
import http from 'node:http';
import { onTestFinished } from 'vitest';

export interface SseEvent {
  /** As `lastEventId` is when it is dispatched. */
  readonly id: string;
  readonly event: string;
  readonly data: string;
}

export interface SseAnswer {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  /** What came so far. */
  readonly events: readonly SseEvent[];
  readonly comments: readonly string[];
  text(): string;
  /** What a client would name in `Last-Event-ID`. */
  lastEventId(): string;
  /** Resolves when `done` says so of what came so far; rejects where the answer ends before. */
  until(done: (events: readonly SseEvent[]) => boolean): Promise<readonly SseEvent[]>;
  /** Resolves when the answer ends: with true where it is whole, with false where the connection broke. */
  readonly ended: Promise<boolean>;
  /** Reads no more until `resume`. */
  pause(): void;
  resume(): void;
  /** Leaves. */
  close(): void;
}

/** Takes text as it comes; tells of each event. */
export const createSseParser = (tell: (event: SseEvent) => void, comment: (text: string) => void) => {
  let rest = '';
  let id = '';
  /** The last one that came as a whole: a piece may end behind the id of an event that goes on in the next one. */
  let lastId = '';
  let event = '';
  let data: string[] = [];
  const line = (text: string): void => {
    if (text === '') {
      lastId = id;
      if (data.length > 0) tell({ id, event: event || 'message', data: data.join('\n') });
      event = '';
      data = [];
      return;
    }
    const colon = text.indexOf(':');
    const field = colon < 0 ? text : text.slice(0, colon);
    const value = colon < 0 ? '' : text.slice(colon + 1).replace(/^ /, '');
    if (colon === 0) comment(value);
    else if (field === 'data') data.push(value);
    else if (field === 'event') event = value;
    else if (field === 'id' && !value.includes('\0')) id = value;
  };
  return {
    take: (chunk: string): void => {
      const lines = (rest + chunk).split(/\r\n|\n|\r/);
      rest = lines.pop() ?? '';
      for (const text of lines) line(text);
    },
    lastEventId: (): string => lastId,
  };
};

/** Resolves with the head of the answer; what is no stream is read as text. It is left when the test ends. */
export const openSse = (
  url: string,
  headers: Readonly<Record<string, string>> = {},
  method = 'GET',
): Promise<SseAnswer> =>
  new Promise((resolve, reject) => {
    const request = http.request(url, {
      method,
      agent: false,
      headers: { Accept: 'text/event-stream', ...headers },
    });
    request.on('error', reject);
    request.on('response', (response) => {
      const events: SseEvent[] = [];
      const comments: string[] = [];
      const watchers = new Set<() => void>();
      let text = '';
      const parser = createSseParser(
        (event) => events.push(event),
        (comment) => comments.push(comment),
      );
      let isOver = false;
      const ended = new Promise<boolean>((over) => {
        response.once('close', () => {
          isOver = true;
          for (const look of watchers) look();
          over(response.complete);
        });
      });
      response.setEncoding('utf8').on('error', () => {});
      response.on('data', (chunk: string) => {
        text += chunk;
        parser.take(chunk);
        for (const look of watchers) look();
      });
      const until: SseAnswer['until'] = (done) =>
        new Promise((found, missed) => {
          const look = (): void => {
            if (!done(events) && !isOver) return;
            watchers.delete(look);
            if (done(events)) found([...events]);
            else missed(new Error(`the stream ended after ${events.length} events: ${text.slice(-500)}`));
          };
          watchers.add(look);
          look();
        });
      resolve({
        status: response.statusCode ?? 0,
        headers: response.headers,
        events,
        comments,
        text: () => text,
        lastEventId: parser.lastEventId,
        until,
        ended,
        pause: () => void response.pause(),
        resume: () => void response.resume(),
        close: () => void request.destroy(),
      });
    });
    onTestFinished(() => void request.destroy());
    request.end();
  });
