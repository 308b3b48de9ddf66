import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { wordingsQuery } from '../api/queries.ts';
import { useAdvisor } from '../api/session.ts';
import type { Wording } from '../api/types.ts';
import { Tabs } from '../look/fields.tsx';
import { Fact } from '../look/parts.tsx';

const nights = {
  off: 'Texts go out at any hour.',
  defer: 'Before 8 AM and after 9 PM where the person is, texts wait until their morning.',
  refuse: 'Before 8 AM and after 9 PM where the person is, texts are refused.',
};
const kinds: Partial<Record<Wording['kind'], string>> = {
  consent_request: 'Consent request',
  reminder: 'Reminder',
  opt_in: 'After their yes',
  opt_out: 'After STOP',
  help: 'After HELP',
};

/** What the firm decides, and how its texts look on a phone. */
export function FirmRules() {
  const { consentRequired, consentCollection, quietHours } = useAdvisor();
  return (
    <section className="section">
      <h2>Set by your firm</h2>
      <dl className="facts">
        <Fact name="Consent">
          {consentRequired ? 'People must accept before you text them.' : 'Texts go to everybody who hasn’t opted out.'}
        </Fact>
        <Fact name="Consent requests">{consentCollection ? 'You can send them.' : 'Not set up.'}</Fact>
        <Fact name="Quiet hours">{nights[quietHours]}</Fact>
      </dl>
      <Wordings />
    </section>
  );
}

function Wordings() {
  const { textingNumber } = useAdvisor();
  const { data } = useQuery(wordingsQuery);
  const [kind, setKind] = useState<Wording['kind']>('consent_request');
  const shown = data?.find((each) => each.kind === kind);
  if (!shown || !textingNumber) return null;
  const answer = {
    consent_request: null,
    reminder: 'ok?',
    opt_in: 'ACCEPT',
    opt_out: 'STOP',
    help: 'HELP',
    first_text: null,
  }[kind];
  return (
    <>
      <h3 className="spaced">What people read</h3>
      <Tabs className="wrap" label="Which text" options={Object.entries(kinds)} chosen={kind} choose={setKind} />
      <figure className="preview phone">
        <figcaption className="small soft">
          {shown.version === 0 ? 'The usual wording, in your name' : `Your firm’s wording, version ${shown.version}`}
        </figcaption>
        {answer && <div className="say out">{answer}</div>}
        <div className="say in">{shown.text}</div>
      </figure>
    </>
  );
}
