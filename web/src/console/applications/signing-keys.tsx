import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { post } from '../../api/http.ts';
import { Button } from '../../look/button.tsx';
import { Chip } from '../../look/parts.tsx';
import { toast } from '../../shell/toasts.tsx';
import { Ask } from '../dialogs.tsx';
import { refresh } from '../lists.ts';
import { When } from '../when.tsx';
import { type SigningKey, signingKeysQuery } from './queries.ts';

const uses = {
  waits: { word: 'Signs in a moment', icon: 'hourglass', tone: 'warn' },
  signs: { word: 'Signs', icon: 'circle-check', tone: 'good' },
  verifies: { word: 'Verifies only', icon: 'clock', tone: 'quiet' },
} as const satisfies Record<SigningKey['use'], object>;

/** The keys that access tokens are signed with. */
export function SigningKeys() {
  const { data } = useQuery(signingKeysQuery);
  const [asked, ask] = useState<'rotate' | 'leaked' | null>(null);
  const rotate = async (leaked: boolean) => {
    await post('/signing-keys', { body: { leaked } });
    await refresh('/signing-keys');
    toast(leaked ? 'The old keys are deleted.' : 'A new key is published, and signs in ten seconds.');
  };
  return (
    <section className="console-card">
      <h2>Keys that sign access tokens</h2>
      <ul className="lines">
        {data?.map(({ kid, use, dateTimeCreated }) => (
          <li className="row wrap" key={kid}>
            <Chip {...uses[use]} />
            <span>
              made <When at={dateTimeCreated} />
            </span>
          </li>
        ))}
      </ul>
      <div className="row wrap">
        <Button onClick={() => ask('rotate')}>Rotate</Button>
        <Button kind="bad" onClick={() => ask('leaked')}>
          They have leaked
        </Button>
      </div>
      {asked === 'rotate' && (
        <Ask title="Make a new signing key?" action="Make a new key" run={() => rotate(false)} close={() => ask(null)}>
          It is published at once and signs ten seconds later, on every node. The old one verifies until its tokens
          expire, so no application notices.
        </Ask>
      )}
      {asked === 'leaked' && (
        <Ask
          title="Delete the old signing keys?"
          action="Delete them"
          isBad
          run={() => rotate(true)}
          close={() => ask(null)}
        >
          Every access token that they signed is refused within a second, and applications have to refresh theirs. Do
          this only if somebody else may have a key.
        </Ask>
      )}
    </section>
  );
}
