// The answer to a sender whose message was accepted, and the error where its content must not leave. Pure.
import type { Assessment } from '#src/intake/content/assessment.ts';
import { wordsOf } from '#src/intake/content/rate-content.ts';
import { AppError } from '#src/kernel/errors.ts';
import { toIso } from '#src/kernel/time.ts';
import type { Status } from '#src/messages/rules.ts';
import type { Draft } from './draft.ts';
import type { GateResult } from './gates.ts';
import type { SendAnswer } from './schema.ts';
import { DELICATE_TRACKING, delicateWords, warnsOfTracking } from './tracking.ts';

const suppressionPart = (
  suppressed: GateResult['suppressed'],
  all: boolean,
): Pick<SendAnswer, 'code' | 'hint' | 'suppressed'> => {
  if (suppressed.size === 0) return {};
  const words = all
    ? ({
        code: 'recipient_suppressed',
        hint: 'Every recipient is on a suppression list of this practice; nothing is sent.',
      } as const)
    : ({
        code: 'recipients_suppressed',
        hint: 'Those in `suppressed` are on a suppression list of this practice; the others get the message.',
      } as const);
  return { ...words, suppressed: [...suppressed] };
};

const warningsOf = (content: Assessment | null, verdicts: GateResult['verdicts']) => {
  const found = content?.findings ?? [];
  const warnings = [
    ...found.map((finding) => ({ id: finding.id, ...wordsOf(finding, 'en') })),
    ...(warnsOfTracking(verdicts) ? [{ id: DELICATE_TRACKING, ...delicateWords.en }] : []),
  ];
  return warnings.length === 0 ? {} : { content_warnings: warnings };
};

export const answerOf = (
  id: string,
  draft: Draft,
  status: Status,
  { suppressed, verdicts }: GateResult,
  content: Assessment | null,
): SendAnswer => ({
  id,
  message_id: id,
  status,
  ...(status === 'pending' && draft.scheduledAt !== null ? { scheduled_at: toIso(draft.scheduledAt) } : {}),
  ...suppressionPart(suppressed, status === 'suppressed'),
  ...warningsOf(content, verdicts),
});

const blockWords = {
  score: (score: number) => `The content scores ${score} of 100; mail is blocked from 70 on.`,
  scanner: () => 'The spam scanner rejects the content.',
  virus: () => 'The virus scanner found something in an attachment.',
  listed_host: () => 'The content links to a host on a block list.',
};

/** `messageId` is that of the message, which is kept as failed. */
export const blockedError = (messageId: string, content: Assessment): AppError<'content_blocked'> =>
  new AppError('content_blocked', blockWords[content.block ?? 'score'](content.score), {
    extra: {
      content_reasons: content.findings.map(({ id }) => id),
      scanner: content.scanner,
      message_id: messageId,
    },
  });
