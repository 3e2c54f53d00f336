// One run of one side: the load, the wait for the sink, and what each process spent meanwhile.
import { setTimeout as pause } from 'node:timers/promises';
import type { Figures } from '#test/bench/harness.ts';
import type { CountingSink } from '#test/bench/reading-sink.ts';
import { cpuSeconds, endedChildrenCpuSeconds, peakMemory } from '#test/support/process.ts';

/** After the last message, for one too many to show up. */
export const STRAY_MS = 300;
const PATIENCE_MS = 600_000;

export interface Load {
  /** When the first message was sent and the last one accepted, on this process's `performance.now()`. */
  readonly start: number;
  readonly end: number;
  readonly latencies?: { readonly p50Ms: number; readonly p99Ms: number };
}

/** `generate` sends the messages from child processes and resolves when all were accepted and the children ended. */
export async function timedRun(
  messages: number,
  parts: {
    readonly sink: CountingSink;
    readonly services: readonly number[];
    readonly generate: () => Promise<Load>;
  },
): Promise<Figures> {
  const { sink, services, generate } = parts;
  const spent = async () => ({
    service: sumOf(services, cpuSeconds),
    generator: endedChildrenCpuSeconds(),
    sink: cpuSeconds(sink.pid),
  });
  const wanted = (await sink.count()) + messages;
  const before = await spent();
  const { start, end, latencies } = await generate();
  await sink.received(wanted, PATIENCE_MS);
  const relayed = performance.now();
  const after = await spent();
  await pause(STRAY_MS);
  const received = await sink.count();
  if (received !== wanted) throw new Error(`the sink got ${received - wanted} messages too many`);
  const micros = (process: keyof typeof before) => ((after[process] - before[process]) / messages) * 1e6;
  return {
    acceptedPerSecond: (messages / (end - start)) * 1_000,
    relayedPerSecond: (messages / (relayed - start)) * 1_000,
    ...latencies,
    peakBytes: sumOf(services, peakMemory),
    serviceMicros: micros('service'),
    generatorMicros: micros('generator'),
    sinkMicros: micros('sink'),
  };
}

function sumOf(pids: readonly number[], figure: (pid: number) => number): number {
  let sum = 0;
  for (const pid of pids) sum += figure(pid);
  return sum;
}
