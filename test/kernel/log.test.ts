import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createLog, gatherLines, REQUEST_LINE, SUBMISSION_LINE } from '#src/kernel/log.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A log whose writes are kept, each as the messages of its lines. */
const gathered = (line: string = REQUEST_LINE) => {
  const writes: string[][] = [];
  const write = (text: string) =>
    void writes.push(
      text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line).id ?? JSON.parse(line).msg),
    );
  const log = createLog('info', gatherLines({ write }));
  return { log, writes, request: (id: string, extra = {}) => log.info({ id, ...extra }, line) };
};

describe('lines of which there are many', () => {
  test.each([REQUEST_LINE, SUBMISSION_LINE])('%s are written together, after a moment', (line) => {
    const { writes, request } = gathered(line);
    request('1');
    request('2');
    expect(writes).toEqual([]);
    vi.advanceTimersByTime(100);
    expect(writes).toEqual([['1', '2']]);
    request('3');
    vi.advanceTimersByTime(100);
    expect(writes).toEqual([['1', '2'], ['3']]);
  });

  test.each(['error', 'warn', 'info'] as const)(
    'go out at once with a line of level %s behind them',
    (level) => {
      const { log, writes, request } = gathered();
      request('1');
      log.child({ request_id: '1' })[level]('other');
      expect(writes).toEqual([['1', 'other']]);
      vi.advanceTimersByTime(1_000);
      expect(writes).toHaveLength(1);
    },
  );

  test('are written before they are many', () => {
    const { writes, request } = gathered();
    for (let id = 0; id < 40; id += 1) request(String(id), { padding: 'x'.repeat(1_000) });
    expect(writes.flat().length).toBeGreaterThan(20);
  });
});

test('lines of errors are counted, those of parts of the log too, and no others', () => {
  const log = createLog('warn', { write: () => undefined });
  log.info('fine');
  log.warn('a warning');
  log.error({ err: new Error('x') }, 'an error');
  log.child({ part: 'x' }).fatal('the end');
  expect(log.errorLines?.()).toBe(2);
});
