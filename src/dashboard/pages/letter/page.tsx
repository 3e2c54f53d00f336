// A letter: to whom, of which template, what is in it, when it goes; and that it was sent.
import { useState } from 'preact/hooks';
import { useFilters } from '#dashboard/address.ts';
import { call } from '#dashboard/api/call.ts';
import { allPages, useData } from '#dashboard/data.ts';
import { languages } from '#dashboard/languages.ts';
import { Button, Head, LinkButton } from '#dashboard/parts/basics.tsx';
import { Loaded, Note } from '#dashboard/parts/feedback.tsx';
import { practice } from '#dashboard/session.ts';
import { language, translated } from '#dashboard/words.ts';
import { readRecipients } from './addresses.ts';
import type { SentLetter } from './letter.ts';
import { sentenceOf } from './sentence.ts';
import { words } from './words/de.ts';
import { Writing } from './writing.tsx';

const Sent = ({
  sent: { accepted, said },
  onNext,
}: {
  readonly sent: SentLetter;
  readonly onNext: () => void;
}) => {
  const w = translated(words);
  const id = practice.value?.id ?? '';
  const { locale } = languages[language.value];
  const { suppressed = [], hint } = accepted;
  return (
    <>
      <Head title={said.at === null ? w.isSent : w.isPlanned} />
      <section class="card writeletter">
        <Note kind={accepted.code ? 'warn' : 'good'}>
          <p>{sentenceOf(said, { words: w.sentence, locale, now: Date.now() }, true)}</p>
          {hint && <p>{hint}</p>}
          {suppressed.length > 0 && <p>{w.suppressed(suppressed.join(', '))}</p>}
        </Note>
        <p class="actions">
          <LinkButton text={w.look} kind="primary" href={`/app/${id}/post/${accepted.id}`} />
          <Button text={w.another} onClick={onNext} />
        </p>
      </section>
    </>
  );
};

const LetterPage = () => {
  const w = translated(words);
  const id = practice.value?.id ?? '';
  const { values } = useFilters();
  const [turn, setTurn] = useState(0);
  const [sent, setSent] = useState<SentLetter>();
  const facts = useData(
    (abort) =>
      Promise.all([
        call('GET /api/practices/{id}', { id }, { abort }),
        call('GET /api/meta', {}, { abort }),
        allPages((page) => call('GET /api/practices/{id}/templates', { id, ...page }, { abort })),
      ]),
    [id],
  );
  if (sent)
    return (
      <Sent
        sent={sent}
        onNext={() => {
          setSent(undefined);
          setTurn(turn + 1);
        }}
      />
    );
  return (
    <>
      <Head title={w.pages.letter} intro={w.intro} />
      <Loaded data={facts} lines={12}>
        {([own, meta, templates]) => (
          <Writing
            key={`${turn} ${values.template ?? ''} ${values.to ?? ''}`}
            id={id}
            own={own}
            policy={meta.attachment_policy}
            templates={templates}
            to={turn === 0 ? readRecipients(values.to ?? '').recipients : []}
            template={values.template ?? ''}
            onSent={setSent}
          />
        )}
      </Loaded>
    </>
  );
};

export default LetterPage;
