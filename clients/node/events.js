// Server-sent events, by the parts of the HTML standard's event stream that the service uses.

const RECONNECT_MS = 1000;

/** The events of one connection: `{ id, event, data }`, the data parsed. */
const eventsIn = async function* (stream) {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of stream) {
    rest += decoder.decode(chunk, { stream: true });
    const blocks = rest.split(/\r?\n\r?\n/);
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const found = { id: null, event: 'message', data: [] };
      for (const line of block.split(/\r?\n/)) {
        const [, name, value] = /^(\w+):? ?(.*)$/s.exec(line) ?? [];
        if (name === 'data') found.data.push(value);
        else if (name === 'id' || name === 'event') found[name] = value;
      }
      if (found.data.length > 0) yield { ...found, data: JSON.parse(found.data.join('\n')) };
    }
  }
};

/** Without end: a lost connection is opened again at the place where it was lost. */
export const liveEvents = async function* (open, lastEventId, signal) {
  let last = lastEventId;
  for (;;) {
    const { body } = await open(last);
    try {
      for await (const event of eventsIn(body)) {
        last = event.id ?? last;
        yield event;
      }
    } catch (error) {
      if (signal?.aborted) throw signal.reason;
      if (error instanceof SyntaxError) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, RECONNECT_MS));
  }
};
