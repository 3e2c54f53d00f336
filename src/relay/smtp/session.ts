// Pipelined transactions on one connection (RFC 5321 §3.3, RFC 2920).
//
// With PIPELINING a message costs one round trip on a busy connection: MAIL, RCPT and DATA leave in one write, and those of the
// next message ride behind its final dot. Without it each command waits for its reply. Each command that is sent puts an
// expectation into a queue, and each reply takes the first one out.
//
// - The recipient is refused, but DATA is answered with 354: only the dot is sent (the message has no recipient), then RSET.
// - MAIL is refused, but the recipient is accepted, and 354: the server is confused, and the connection is closed.
// - After a refused RCPT or DATA the transaction is still open at the server: RSET goes before the next envelope.
// - 421 or a broken connection ends all that is in the pipeline, each message at its own phase.
// - A connection that has worked is found closed by the next envelope (idle timeout, messages per connection): the message is
//   given back and tried on another one, because this says nothing about the upstream.
import { formatReply, parseReply } from '#src/mail/reply.ts';
import type { Transcript } from '#src/relay/upstream.ts';
import { type Extensions, envelopeCommands, stuffDots } from './commands.ts';
import type { Link } from './connect.ts';
import { createDeadline } from './deadline.ts';
import type { SmtpTimeouts } from './options.ts';
import { createReplyReader } from './reply-reader.ts';
import { settle, type Transaction } from './transaction.ts';

/** Messages above it leave block by block, so that a peer that stops reading is noticed by the block. */
const BLOCK_BYTES = 128 * 1024;
const CRLF = '\r\n';
const FINAL_DOT = '.\r\n';

type Step = 'rset' | 'mail' | 'rcpt' | 'data' | 'dot' | 'empty_dot';

interface Expectation {
  readonly step: Step;
  readonly transaction: Transaction;
}

export interface SessionOptions {
  readonly timeouts: SmtpTimeouts;
  readonly requestDsn: boolean;
  /** A message whose envelope rides behind the final dot that is about to be written, or null. */
  readonly takeNext: () => Transaction | null;
  /** The outcome of `transaction` would be `transcript`, but it may be tried on another connection. */
  readonly giveBack: (transaction: Transaction, transcript: Transcript) => void;
  /** Nothing is in flight any more. */
  readonly onFree: () => void;
  /** Called once, when the socket is closed. */
  readonly onClosed: () => void;
}

export interface Session {
  readonly extensions: Extensions;
  /** Messages begun. */
  readonly begun: () => number;
  readonly isBusy: () => boolean;
  /** Whether an envelope may be sent behind the final dot that is already out. */
  readonly canRide: () => boolean;
  readonly begin: (transaction: Transaction) => void;
  readonly quit: () => void;
  /** Ends what is in flight as broken, with `reason`. */
  readonly destroy: (reason: string) => void;
}

export const createSession = (link: Link, options: SessionOptions): Session => {
  const { socket, extensions } = link;
  const { timeouts } = options;
  const expectations: Expectation[] = [];
  /** The pipeline holds at most two: the one whose message is being sent, and the one whose envelope goes behind it. */
  const pipeline: Transaction[] = [];
  let begun = 0;
  let finished = 0;
  let resetFirst = false;
  let quitting = false;
  let closed = false;
  let socketError: string | null = null;

  const deadline = createDeadline(() => breakOff('timed out'));
  const timeoutOf = (step: Step): number => {
    switch (step) {
      case 'data':
        return timeouts.data;
      case 'dot':
      case 'empty_dot':
        return timeouts.dot;
      case 'rset':
      case 'mail':
      case 'rcpt':
        return timeouts.command;
      default:
        return step satisfies never;
    }
  };
  const waitForNextReply = (): void => {
    const next = expectations[0];
    if (next !== undefined) deadline.set(timeoutOf(next.step));
    // Else the blocks of a message may be on their way out, or QUIT: these set their own deadline.
    else if (pipeline.length === 0 && !quitting) deadline.set(Number.POSITIVE_INFINITY);
  };

  /** Ends everything in flight. `firstTranscript` is for the oldest transaction: the 421 that answered it. */
  const breakOff = (error: string, firstTranscript?: Transcript): void => {
    if (closed) return;
    closed = true;
    deadline.clear();
    const ended = pipeline.splice(0);
    expectations.length = 0;
    socket.destroy();
    for (const [position, transaction] of ended.entries()) {
      if (transaction.settled) continue;
      const broken: Transcript = { result: 'broken', phase: transaction.phase, error };
      const transcript = (position === 0 ? firstTranscript : undefined) ?? broken;
      if (transaction.phase === 'mail' && finished > 0) options.giveBack(transaction, transcript);
      else settle(transaction, transcript);
    }
  };

  const expect = (step: Step, transaction: Transaction): void => {
    expectations.push({ step, transaction });
    if (expectations.length === 1) deadline.set(timeoutOf(step));
  };

  /** The commands of an envelope that may be sent now; expects their replies. */
  const envelopeText = (transaction: Transaction): string => {
    const { mail, rcpt } = commandsOf(transaction);
    const reset = resetFirst ? 'RSET\r\n' : '';
    if (resetFirst) expect('rset', transaction);
    resetFirst = false;
    if (!extensions.pipelining) {
      if (reset !== '') return reset;
      expect('mail', transaction);
      return mail;
    }
    expect('mail', transaction);
    expect('rcpt', transaction);
    expect('data', transaction);
    return `${reset}${mail}${rcpt}DATA\r\n`;
  };
  const commandsOf = (transaction: Transaction) =>
    envelopeCommands(transaction.envelope, transaction.message.length, extensions, options.requestDsn);

  const say = (step: Step, transaction: Transaction, command: string): void => {
    expect(step, transaction);
    socket.write(command, 'latin1');
  };

  const enter = (transaction: Transaction): string => {
    begun += 1;
    pipeline.push(transaction);
    transaction.phase = 'mail';
    transaction.dsnRequested = options.requestDsn && extensions.dsn;
    return envelopeText(transaction);
  };

  const finish = (): void => {
    pipeline.shift();
    finished += 1;
    if (pipeline.length === 0) options.onFree();
  };

  /** Sends the last block, the final dot and, where a message waits, its envelope, in one write. */
  const writeEnd = (transaction: Transaction, block: Buffer): void => {
    const endsWithLine = block.length > 1 && block.readUInt16BE(block.length - 2) === 0x0d0a;
    transaction.phase = 'dot';
    expect('dot', transaction);
    const next = extensions.pipelining ? options.takeNext() : null;
    const tail = (endsWithLine ? FINAL_DOT : CRLF + FINAL_DOT) + (next === null ? '' : enter(next));
    const bytes = Buffer.allocUnsafe(block.length + tail.length);
    block.copy(bytes);
    bytes.write(tail, block.length, 'latin1');
    socket.write(bytes);
  };
  const writeMessage = (transaction: Transaction, bytes: Buffer, from: number) => {
    if (bytes.length - from <= BLOCK_BYTES)
      return writeEnd(transaction, from === 0 ? bytes : bytes.subarray(from));
    deadline.set(timeouts.block);
    socket.write(bytes.subarray(from, from + BLOCK_BYTES), (error) => {
      // An error closes the socket, which ends the transaction.
      if (!error && !closed) writeMessage(transaction, bytes, from + BLOCK_BYTES);
    });
  };

  const refuse = (transaction: Transaction, lines: readonly string[]): void =>
    settle(transaction, { result: 'refused', phase: transaction.phase, reply: parseReply(lines) });

  const onMailReply = (transaction: Transaction, accepted: boolean, lines: readonly string[]): void => {
    if (!accepted) refuse(transaction, lines);
    else transaction.phase = 'rcpt';
    if (extensions.pipelining) return;
    if (accepted) say('rcpt', transaction, commandsOf(transaction).rcpt);
    else finish();
  };

  const onRecipientReply = (transaction: Transaction, accepted: boolean, lines: readonly string[]): void => {
    transaction.recipientAccepted = accepted;
    if (accepted && !transaction.settled) transaction.phase = 'data';
    if (!accepted) {
      refuse(transaction, lines);
      resetFirst = true;
    }
    if (extensions.pipelining) return;
    if (accepted) say('data', transaction, 'DATA\r\n');
    else finish();
  };

  const onDataReply = (transaction: Transaction, code: number, lines: readonly string[]) => {
    if (code < 300) return breakOff(`unexpected reply to DATA: ${formatReply(parseReply(lines))}`);
    if (code >= 400) {
      refuse(transaction, lines);
      resetFirst = true;
      return finish();
    }
    if (!transaction.settled) return writeMessage(transaction, stuffDots(transaction.message), 0);
    if (transaction.recipientAccepted) return breakOff('354 to DATA after MAIL was refused');
    say('empty_dot', transaction, FINAL_DOT);
  };

  const onDotReply = (transaction: Transaction, accepted: boolean, lines: readonly string[]): void => {
    if (accepted) {
      const { dsnRequested } = transaction;
      settle(transaction, { result: 'accepted', reply: parseReply(lines), dsnRequested });
    } else refuse(transaction, lines);
    finish();
  };

  /** No reply is expected, or the message is still being sent. */
  const onUnexpectedReply = (code: number, lines: readonly string[]): void => {
    const transaction = pipeline[0];
    if (transaction !== undefined && code >= 400) refuse(transaction, lines);
    breakOff(`unexpected reply: ${formatReply(parseReply(lines))}`);
  };

  const onReply = (code: number, lines: readonly string[]): boolean => {
    if (quitting && pipeline.length === 0) {
      socket.end();
      return false;
    }
    if (code === 421) {
      const reply = parseReply(lines);
      const phase = pipeline[0]?.phase ?? 'mail';
      breakOff(formatReply(reply), { result: 'refused', phase, reply });
      return false;
    }
    const expectation = expectations.shift();
    if (expectation === undefined) {
      onUnexpectedReply(code, lines);
      return false;
    }
    const { step, transaction } = expectation;
    const accepted = code < 300;
    if (code >= 300 && code < 400 && step !== 'data') {
      breakOff(`unexpected reply: ${formatReply(parseReply(lines))}`);
      return false;
    }
    switch (step) {
      case 'rset':
        if (!accepted) breakOff(`RSET refused: ${formatReply(parseReply(lines))}`);
        else if (!extensions.pipelining) say('mail', transaction, commandsOf(transaction).mail);
        break;
      case 'mail':
        onMailReply(transaction, accepted, lines);
        break;
      case 'rcpt':
        onRecipientReply(transaction, accepted, lines);
        break;
      case 'data':
        onDataReply(transaction, code, lines);
        break;
      case 'dot':
        onDotReply(transaction, accepted, lines);
        break;
      case 'empty_dot':
        finish();
        break;
      default:
        step satisfies never;
    }
    return !closed;
  };

  const reader = createReplyReader((code, lines) => {
    const more = onReply(code, lines);
    if (more) waitForNextReply();
    return more;
  });

  socket.on('data', (chunk: Buffer) => {
    const wrong = closed ? null : reader.feed(chunk);
    if (wrong !== null) breakOff(wrong);
  });
  socket.on('error', (error) => {
    socketError = error.message;
  });
  socket.once('close', () => {
    breakOff(socketError ?? 'connection closed');
    options.onClosed();
  });

  return {
    extensions,
    begun: () => begun,
    isBusy: () => pipeline.length > 0,
    canRide: () =>
      extensions.pipelining && !closed && !quitting && pipeline.length === 1 && pipeline[0]?.phase === 'dot',
    begin: (transaction) => {
      if (closed || !socket.writable) {
        // Nothing was sent yet: the connection was closed at the moment it was chosen.
        return options.giveBack(transaction, { result: 'broken', phase: 'mail', error: 'connection closed' });
      }
      socket.write(enter(transaction), 'latin1');
    },
    quit: () => {
      if (closed || quitting) return;
      quitting = true;
      deadline.set(timeouts.quit);
      socket.write('QUIT\r\n');
    },
    destroy: (reason) => breakOff(reason),
  };
};
