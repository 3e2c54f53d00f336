// Who answers for the mail (Impressum), as its footer shows it, and how the public pages look.
import { useLayoutEffect } from 'preact/hooks';
import type { Practice } from '#api';
import { call } from '#dashboard/api/call.ts';
import { useAction, useAnswer } from '#dashboard/data.ts';
import { Card, Head } from '#dashboard/parts/basics.tsx';
import { Loaded, Note, toast } from '#dashboard/parts/feedback.tsx';
import { Form, TextField, useFields } from '#dashboard/parts/form.tsx';
import { practice } from '#dashboard/session.ts';
import { translated } from '#dashboard/words.ts';
import { Look } from './look.tsx';
import { words } from './words/de.ts';

const fieldNames = [
  ...(['street', 'city', 'privacy_url'] as const),
  ...(['email', 'phone', 'represented_by', 'register', 'vat_id', 'authority', 'imprint_url'] as const),
] as const;
type Typed = Readonly<Record<(typeof fieldNames)[number], string>>;

const inMail = ['represented_by', 'email', 'phone', 'register'] as const;
const onPage = [...inMail, 'vat_id', 'authority'] as const;

/** Shows the end of a marketing mail; what must still be filled in is marked. */
const Footer = ({ name, street, city, ...more }: Typed & { readonly name: string }) => {
  const w = translated(words);
  const { privacy_url, imprint_url } = more;
  const shown = (imprint_url ? inMail : onPage).flatMap((one) =>
    more[one] ? `${w.short[one]}: ${more[one]}` : [],
  );
  return (
    <figure class="footer">
      <figcaption class="quiet">{w.preview}</figcaption>
      <hr />
      <p>
        {name}, {street || <mark>{w.street}</mark>}, {city || <mark>{w.city}</mark>}
      </p>
      {shown.length > 0 && <p>{shown.join(' · ')}</p>}
      {imprint_url && (
        <p>
          <u>{w.legalNotice}</u>
        </p>
      )}
      <p>{privacy_url ? <u>{w.privacy}</u> : <mark>{w.privacyUrl}</mark>}</p>
      <p>
        <u>{w.unsubscribe}</u>
      </p>
    </figure>
  );
};

const typedOf = (legal: Practice['legal']): Typed =>
  Object.fromEntries(fieldNames.map((name) => [name, legal[name] ?? ''])) as Typed;

const LegalForm = ({ of, onDone }: { readonly of: Practice; readonly onDone: () => void }) => {
  const w = translated(words);
  const { fields, field, setFields } = useFields(typedOf(of.legal));
  useLayoutEffect(() => setFields(typedOf(of.legal)), [of]);
  const action = useAction(async () => {
    const body = Object.fromEntries(fieldNames.map((name) => [name, fields[name].trim() || null]));
    const over = {
      record: of,
      fields: ({ legal }: Practice) => legal,
      names: {
        ...{ street: w.street, city: w.city, privacy_url: w.privacyUrl, imprint_url: w.imprintUrl },
        ...w.short,
      },
      take: onDone,
    };
    await call('PATCH /api/practices/{id}/compliance', { id: of.id, body }, { over });
    toast(w.saved);
    onDone();
  });
  const isComplete = of.legal.street && of.legal.city && of.legal.privacy_url;
  return (
    <>
      {!isComplete && <Note kind="warn">{w.incomplete}</Note>}
      <div class="columns">
        <Form action={action} submit={w.save}>
          <TextField label={w.street} autoComplete="street-address" {...field('street')} />
          <TextField label={w.city} autoComplete="off" {...field('city')} />
          <TextField
            label={w.privacyUrl}
            type="url"
            hint={w.privacyHint}
            placeholder="https://"
            {...field('privacy_url')}
          />
          <p class="quiet">{w.more}</p>
          <TextField label={w.email} type="email" optional {...field('email')} />
          <TextField label={w.phone} optional {...field('phone')} />
          <TextField
            label={w.representedBy}
            hint={w.representedByHint}
            optional
            {...field('represented_by')}
          />
          <TextField label={w.register} hint={w.registerHint} optional {...field('register')} />
          <TextField label={w.vatId} hint={w.vatIdHint} optional {...field('vat_id')} />
          <TextField label={w.authority} hint={w.authorityHint} optional {...field('authority')} />
          <TextField
            label={w.imprintUrl}
            type="url"
            hint={w.imprintHint}
            optional
            placeholder="https://"
            {...field('imprint_url')}
          />
        </Form>
        <Footer name={of.name} {...fields} />
      </div>
    </>
  );
};

const Legal = () => {
  const w = translated(words);
  const id = practice.value?.id ?? '';
  const data = useAnswer('GET /api/practices/{id}', { id });
  return (
    <>
      <Head title={w.pages.legal} intro={w.intro} />
      <Loaded data={data}>
        {(of) => (
          <>
            <Card title={w.notice}>
              <LegalForm of={of} onDone={data.reload} />
            </Card>
            <Look of={of} />
          </>
        )}
      </Loaded>
    </>
  );
};

export default Legal;
