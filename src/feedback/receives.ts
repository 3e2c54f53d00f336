// What feedback takes by SMTP: reports at return paths, unsubscribing by mail, complaints, and mail to the simulator.

import type { Base } from '#src/kernel/base.ts';
import { newId } from '#src/kernel/id.ts';
import { isAutoReply } from '#src/mail/auto-reply.ts';
import { headFieldsOf, headOf } from '#src/mail/field-block.ts';
import type { Address } from '#src/mail/mailbox.ts';
import type { Receives, ReportResult } from '#src/mail/reception.ts';
import type { TokenKeys } from '#src/mail/token-keys.ts';
import { decodeReturnPath, decodeUnsubscribeAddress } from '#src/mail/verp.ts';
import { type ComplaintDeps, createComplaints } from './complaints.ts';
import { readReport } from './read-report.ts';
import { receiveReport, receiveUnsubscription } from './receive.ts';
import type { Reporter } from './reporter.ts';
import { returnPathStatus } from './return-path.ts';
import { answerTo, behaviourOf } from './simulator.ts';

type FeedbackReceives = Pick<
  Receives<Reporter>,
  | 'decodeReturnPath'
  | 'decodeUnsubscribeAddress'
  | 'returnPathStatus'
  | 'report'
  | 'unsubscribe'
  | 'complain'
  | 'simulates'
  | 'simulate'
>;

export const feedbackReceives = (
  { config, clock, version }: Pick<Base, 'config' | 'clock' | 'version'>,
  returnPathKey: TokenKeys,
  deps: ComplaintDeps,
): FeedbackReceives => {
  const serviceHost = config().service.host;
  const { received } = deps;
  return {
    decodeReturnPath: (address) => decodeReturnPath(returnPathKey, address),
    decodeUnsubscribeAddress: (address) => decodeUnsubscribeAddress(returnPathKey, address),
    returnPathStatus: (target) => returnPathStatus(received, target),
    report: async (returnPaths, { content, envelope }, reporter) => {
      const report = await readReport(content, envelope);
      if (report.kind === 'other') return null;
      // One after another, because each may take some milliseconds to judge.
      const results: Promise<ReportResult>[] = [];
      for (const { target } of returnPaths) {
        const result = receiveReport(received, target, report, reporter);
        results.push(result);
        await Promise.allSettled([result]);
      }
      return Promise.all(results);
    },
    unsubscribe: async (target, { content, envelope }) => {
      const { kind } = await readReport(content, envelope);
      // Programs that unsubscribe for a person say in the text that they do so by themselves, so only the header counts.
      const isAutomatic = kind === 'auto_reply' && isAutoReply(headFieldsOf(content));
      const isWish = envelope.mailFrom !== '' && (kind === 'other' || kind === 'auto_reply') && !isAutomatic;
      return isWish ? receiveUnsubscription(received, target) : 'unchanged';
    },
    complain: createComplaints(deps),
    simulates: (localPart) => behaviourOf(localPart) !== null,
    simulate: ({ recipient, returnPath }, content) => {
      const behaviour = behaviourOf(recipient.slice(0, recipient.lastIndexOf('@')));
      if (behaviour === null) return null;
      const [to, from] = [recipient as Address, returnPath as Address];
      const mail = { behaviour, recipient: to, returnPath: from, head: headOf(content) };
      return answerTo(mail, { serviceHost, version, id: newId(), now: clock.now() });
    },
  };
};
