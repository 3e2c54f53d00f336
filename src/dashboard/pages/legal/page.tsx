// Who answers for the mail (Impressum), as its footer shows it, and how the public pages look.
import { useLayoutEffect } from 'preact/hooks';
import type { Practice } from '#api';
import { call } from '#dashboard/api/call.ts';
import { useAction, useData } from '#dashboard/data.ts';
import { Card, Head } from '#dashboard/parts/basics.tsx';
import { Loaded, Note, toast } from '#dashboard/parts/feedback.tsx';
import { Form, TextField, useFields } from '#dashboard/parts/form.tsx';
import { practice } from '#dashboard/session.ts';
import { Look } from './look.tsx';
import { legalWords } from './words.ts';

/** As the end of a marketing mail; what is not filled in yet is marked. */
const Footer = ({
  name,
  street,
  city,
  privacy_url,
}: Readonly<Record<'name' | 'street' | 'city' | 'privacy_url', string>>) => {
  const w = legalWords();
  return (
    <figure class="footer">
      <figcaption class="quiet">{w.preview}</figcaption>
      <hr />
      <p>
        {name}, {street || <mark>{w.street}</mark>}, {city || <mark>{w.city}</mark>}
      </p>
      <p>{privacy_url ? <u>{w.privacy}</u> : <mark>{w.privacyUrl}</mark>}</p>
      <p>
        <u>{w.unsubscribe}</u>
      </p>
    </figure>
  );
};

const typedOf = ({ street, city, privacy_url }: Practice['legal']) => ({
  street: street ?? '',
  city: city ?? '',
  privacy_url: privacy_url ?? '',
});

const LegalForm = ({ of, onDone }: { readonly of: Practice; readonly onDone: () => void }) => {
  const w = legalWords();
  const { fields, field, setFields } = useFields(typedOf(of.legal));
  useLayoutEffect(() => setFields(typedOf(of.legal)), [of]);
  const action = useAction(async () => {
    const body = {
      street: fields.street.trim() || null,
      city: fields.city.trim() || null,
      privacy_url: fields.privacy_url.trim() || null,
    };
    await call('PATCH /api/practices/{id}/compliance', { id: of.id, body });
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
        </Form>
        <Footer name={of.name} {...fields} />
      </div>
    </>
  );
};

const Legal = () => {
  const w = legalWords();
  const id = practice.value?.id ?? '';
  const data = useData((abort) => call('GET /api/practices/{id}', { id }, { abort }), [id]);
  return (
    <>
      <Head title={w.title} intro={w.intro} />
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
