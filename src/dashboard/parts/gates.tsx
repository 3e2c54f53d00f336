// What each gate said of a message: the name of what it looked at, its verdict, and the facts it used.
import type { Decision, ScoreDecision } from '#api';
import { Badge, type Tone } from './basics.tsx';
import { partWords } from './words.ts';

export const verdictTones: Readonly<Record<Decision['verdict'], Tone>> = {
  passed: 'good',
  warned: 'warn',
  held: 'warn',
  suppressed: 'warn',
  blocked: 'bad',
  refused: 'bad',
};

const shown = (fact: unknown): string => (typeof fact === 'string' ? fact : JSON.stringify(fact));

/** `hint`: what to do about the first refusal. */
export const GateList = ({
  decisions,
  hint = null,
}: {
  readonly decisions: readonly ScoreDecision[];
  readonly hint?: string | null;
}) => {
  const { verdicts } = partWords().gate;
  const firstRefusal = decisions.find(({ verdict }) => verdict === 'refused');
  return (
    <ul class="gates">
      {decisions.map((decision) => {
        const { gate, title, verdict, facts } = decision;
        const used = Object.entries(facts);
        return (
          <li key={gate}>
            <details>
              <summary>
                <span>{title}</span> <Badge tone={verdictTones[verdict]}>{verdicts[verdict]}</Badge>
              </summary>
              <p class="quiet">
                <code>{gate}</code>
                {used.map(([name, fact]) => (
                  <span key={name}>
                    {' · '}
                    {name}: {shown(fact)}
                  </span>
                ))}
              </p>
            </details>
            {hint !== null && decision === firstRefusal && <p class="problem">{hint}</p>}
          </li>
        );
      })}
    </ul>
  );
};
