// A name server of a tenant who means no good: what it answers is decided question by question.
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { AUTHORITATIVE_ANSWER, decode, encode } from 'dns-packet';

export interface Question {
  readonly name: string;
  readonly type: string;
  /** How often this name was asked for this type, from 1. */
  readonly nth: number;
}

interface DnsRecord {
  readonly type: 'A' | 'AAAA' | 'CNAME';
  readonly data: string;
  /** Of the question where absent. */
  readonly name?: string;
}

export interface ScriptedDns {
  /** For a lookup's servers. */
  readonly address: string;
  /** `A name`, in order. */
  readonly asked: readonly string[];
  stop(): Promise<void>;
}

/** Null: no answer ever. */
export const startScriptedDns = async (
  answer: (question: Question) => readonly DnsRecord[] | null,
): Promise<ScriptedDns> => {
  const asked: string[] = [];
  const socket = createSocket('udp4');
  socket.on('message', (query, { port, address }) => {
    const { id, flags, questions } = decode(query);
    const [question] = questions;
    if (question === undefined) return;
    const line = `${question.type} ${question.name}`;
    asked.push(line);
    const nth = asked.filter((other) => other === line).length;
    const records = answer({ name: question.name, type: question.type, nth });
    if (records === null) return;
    const answers = records.map(({ type, data, name = question.name }) => ({ name, type, ttl: 0, data }));
    const response = {
      type: 'response' as const,
      id,
      flags: AUTHORITATIVE_ANSWER | (flags & 0x0100),
      questions,
      answers,
    };
    socket.send(encode(response), port, address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return {
    address: `127.0.0.1:${socket.address().port}`,
    asked,
    stop: async () => {
      const closed = once(socket, 'close');
      socket.close();
      await closed;
    },
  };
};
