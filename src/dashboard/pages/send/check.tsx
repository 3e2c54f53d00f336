// What the service would do with the message that is being written: rated as one types, the former result dimmed until then.
import type { NewMessage, Score } from '#api';
import { Refusal } from '#dashboard/api/call.ts';
import { useData } from '#dashboard/data.ts';
import { Badge, Card, Facts, type Tone } from '#dashboard/parts/basics.tsx';
import { Loaded, Note } from '#dashboard/parts/feedback.tsx';
import { GateList } from '#dashboard/parts/gates.tsx';
import { scoreOf } from '#dashboard/parts/score.ts';
import { language, translated } from '#dashboard/words.ts';
import { words } from './words/de.ts';

const gradeTone = (grade: Score['grade']): Tone => {
  if (grade <= 'B') return 'good';
  return grade <= 'D' ? 'warn' : 'bad';
};

const Findings = ({
  title,
  findings,
}: {
  readonly title: string;
  readonly findings: readonly { readonly id: string; readonly why: string; readonly advice: string }[];
}) =>
  findings.length === 0 ? null : (
    <>
      <h3>{title}</h3>
      <ul>
        {findings.map(({ id, why, advice }) => (
          <li key={id}>
            {why} <span class="quiet">{advice}</span>
          </li>
        ))}
      </ul>
    </>
  );

const Result = ({ score }: { readonly score: Score }) => {
  const w = translated(words);
  const { grade, would_refuse, would_block, hint, inbox_risk, reasons, warnings, decisions } = score;
  return (
    <div class="stack">
      <Note kind={would_refuse !== null || would_block ? 'bad' : 'good'}>
        <p>
          <strong>
            {would_refuse !== null ? w.refuses(would_refuse) : would_block ? w.blocks : w.sends}
          </strong>
        </p>
        {hint && <p>{hint}</p>}
      </Note>
      <Facts
        facts={[
          [
            w.grade,
            <>
              <Badge tone={gradeTone(grade)}>{grade}</Badge> {w.score(score.score)}
            </>,
          ],
          [w.risk, w.risks[inbox_risk]],
        ]}
      />
      <Findings title={w.reasons} findings={reasons} />
      <Findings title={w.warnings} findings={warnings} />
      <h3>{w.gates}</h3>
      <GateList decisions={decisions} hint={hint} />
    </div>
  );
};

/** Undefined: too little is there yet. */
export const Check = ({ id, body }: { readonly id: string; readonly body: NewMessage | undefined }) => {
  const w = translated(words);
  const score = useData(
    async (abort) => (body === undefined ? null : scoreOf(id, body, abort)),
    [id, body, language.value],
  );
  return (
    <Card title={w.check}>
      <Loaded data={score}>
        {(result) => {
          if (result === null) return <p class="quiet">{w.waiting}</p>;
          if (!(result instanceof Refusal)) return <Result score={result} />;
          return (
            <Note kind="warn">
              {result.fields.length === 0 && (
                <p lang={result.language}>
                  {result.message} {result.hint}
                </p>
              )}
              {result.fields.map(({ path, message }) => (
                <p key={path} lang={result.language}>
                  <code>{path.replace(/^body\./, '')}</code>: {message}
                </p>
              ))}
            </Note>
          );
        }}
      </Loaded>
    </Card>
  );
};
