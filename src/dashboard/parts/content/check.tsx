// The check beside the preview: what speaks against the mail as it is written, the worst first, with what to do about it.
import { useState } from 'preact/hooks';
import type { CheckContentBody, ContentCheck } from '#api';
import { call } from '#dashboard/api/call.ts';
import { useAction } from '#dashboard/data.ts';
import { Badge, Button } from '#dashboard/parts/basics.tsx';
import { ErrorNote } from '#dashboard/parts/feedback.tsx';
import { practice } from '#dashboard/session.ts';
import { bytes } from '#dashboard/words.ts';
import type { Content, Values } from './shape.ts';
import { contentWords } from './words.ts';

const tones = { error: 'bad', warn: 'warn', info: 'plain' } as const;

const bodyOf = ({ subject, document, text, html }: Content, values: Values): CheckContentBody => {
  const data = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ''));
  const written = document === null ? { text: text || undefined, html: html || undefined } : { document };
  return { subject, ...written, data } as CheckContentBody;
};

const Findings = ({ checked: { findings, clients, size } }: { readonly checked: ContentCheck }) => {
  const w = contentWords().check;
  return (
    <div class="stack">
      {findings.length === 0 && <p>{w.nothing}</p>}
      <ul class="findings">
        {findings.map(({ code, severity, message, advice, place }) => (
          <li key={`${code} ${place.part} ${place.excerpt}`}>
            <Badge tone={tones[severity]}>{w.severities[severity]}</Badge> {message}{' '}
            <span class="quiet">{advice}</span>
          </li>
        ))}
      </ul>
      <p class="quiet">
        {clients.readers_affected > 0 && w.readers(clients.readers_affected)}{' '}
        {w.size(bytes(size.html_bytes), bytes(size.clipped_at))}
      </p>
    </div>
  );
};

export const Check = ({ content, values }: { readonly content: Content; readonly values: Values }) => {
  const w = contentWords().check;
  const [found, setFound] = useState<{ readonly checked: ContentCheck; readonly of: Content }>();
  const check = useAction(async () => {
    const id = practice.value?.id ?? '';
    const body = bodyOf(content, values);
    setFound({ checked: await call('POST /api/practices/{id}/content/check', { id, body }), of: content });
  });
  return (
    <section aria-label={w.title} class="contentcheck">
      <div class="cardhead">
        <h2>{w.title}</h2>
        <Button
          kind="small"
          text={w.start}
          disabled={check.isRunning || content.subject.trim() === ''}
          onClick={() => void check.run()}
        />
      </div>
      <ErrorNote error={check.error} />
      <div role="status">
        {check.isRunning && <p class="quiet">{w.running}</p>}
        {!found && !check.isRunning && <p class="quiet">{w.intro}</p>}
        {found && !check.isRunning && (
          <>
            {found.of !== content && <p class="quiet">{w.isOld}</p>}
            <Findings checked={found.checked} />
          </>
        )}
      </div>
    </section>
  );
};
