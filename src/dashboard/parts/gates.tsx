// What each gate said of a message: the name of what it looked at, its verdict, and the facts it used.
import type { Decision } from '#api';
import { Badge, type Tone } from './basics.tsx';
import { gateWords } from './gate-words.ts';

const tones: Readonly<Record<Decision['verdict'], Tone>> = {
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
  readonly decisions: readonly Decision[];
  readonly hint?: string | null;
}) => {
  const { gates, verdicts } = gateWords();
  const firstRefusal = decisions.find(({ verdict }) => verdict === 'refused');
  return (
    <ul class="gates">
      {decisions.map((decision) => {
        const { gate, verdict, facts } = decision;
        const used = Object.entries(facts);
        return (
          <li key={gate}>
            <details>
              <summary>
                <span>{gates[gate] ?? gate}</span> <Badge tone={tones[verdict]}>{verdicts[verdict]}</Badge>
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
