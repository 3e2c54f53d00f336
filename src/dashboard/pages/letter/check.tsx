// The end of a letter: what will happen, in one sentence, and what speaks against it.
import type { Score } from '#api';
import { Refusal } from '#dashboard/api/call.ts';
import type { Data } from '#dashboard/data.ts';
import { languages } from '#dashboard/languages.ts';
import { ErrorNote, Note } from '#dashboard/parts/feedback.tsx';
import { GateList } from '#dashboard/parts/gates.tsx';
import { language, translated } from '#dashboard/words.ts';
import type { Made, Missing } from './letter.ts';
import { type Said, sentenceOf } from './sentence.ts';
import { words } from './words/de.ts';

export interface Checked extends Made {
  readonly score: Score | Refusal;
}

interface Verdict {
  readonly tone: 'good' | 'warn' | 'bad';
  readonly text: string;
  readonly why: readonly string[];
}

/** How the service is set up is not what an office can change: a service without HTTPS offers no link to unsubscribe. */
const OF_OPERATOR: ReadonlySet<string> = new Set(['no_way_out']);

/** The worst decides. */
const verdictOf = ({ score, problems }: Checked): Verdict => {
  const w = translated(words).verdict;
  if (problems.length > 0) return { tone: 'bad', text: w.notYet, why: problems };
  if (score instanceof Refusal) {
    const why = score.fields.map(({ message }) => message);
    return { tone: 'bad', text: w.notYet, why: why.length > 0 ? why : [score.message] };
  }
  const hint = score.hint === null ? [] : [score.hint];
  const found = [...score.reasons, ...score.warnings]
    .filter(({ id }) => !OF_OPERATOR.has(id))
    .map(({ why, advice }) => `${why} ${advice}`.trim());
  if (score.would_refuse !== null) return { tone: 'bad', text: w.refused, why: hint };
  if (score.would_block) return { tone: 'bad', text: w.blocked, why: found };
  return found.length > 0
    ? { tone: 'warn', text: w.warned, why: found }
    : { tone: 'good', text: w.nothing, why: [] };
};

interface CheckProps {
  readonly said: Said;
  readonly missing: readonly Missing[];
  readonly checked: Data<Checked | null>;
  /** What was checked is not what is written now. */
  readonly isOld: boolean;
}

export const Check = ({ said, missing, checked, isOld }: CheckProps) => {
  const w = translated(words);
  const { locale } = languages[language.value];
  const result = isOld ? null : checked.value;
  const verdict = result ? verdictOf(result) : undefined;
  const sentence = sentenceOf(said, { words: w.sentence, locale, now: Date.now() });
  return (
    <section aria-label={w.check} class="lettercheck">
      {!isOld && <ErrorNote error={checked.error} onRetry={checked.reload} />}
      <div role="status">
        {missing.length > 0 ? (
          <p class="quiet">{w.stillMissing(missing.map((one) => w.missing[one]))}</p>
        ) : (
          <Note kind={verdict?.tone}>
            <p>
              <strong>{sentence}</strong> {verdict?.text ?? (checked.error ? '' : w.checking)}
            </p>
            {verdict && verdict.why.length > 0 && (
              <ul>
                {verdict.why.map((why) => (
                  <li key={why}>{why}</li>
                ))}
              </ul>
            )}
          </Note>
        )}
      </div>
      {result && !(result.score instanceof Refusal) && verdict?.tone === 'bad' && missing.length === 0 && (
        <details>
          <summary>{w.details}</summary>
          <GateList decisions={result.score.decisions} />
        </details>
      )}
    </section>
  );
};
