import { useRef, useState } from 'react';
import { isInDoubt, post } from '../api/http.ts';
import type { ConsentRequestResult } from '../api/types.ts';
import { toast } from '../shell/toasts.tsx';
import { count } from '../words/people.ts';
import { newKey } from './outbox.ts';

type ConsentRequest = { phoneNumbers: string[]; key: string };

/** Asks several people for consent, and none of them twice: a request without an answer is repeated first, with its key and its people. */
export function useAsking(done: (asked: string) => Promise<unknown>) {
  const [isAsking, setAsking] = useState(false);
  const unanswered = useRef<ConsentRequest | null>(null);
  const send = async (asked: ConsentRequest): Promise<number> => {
    unanswered.current = asked;
    const { successes } = await post<ConsentRequestResult>('/v1/text/messaging/consent-requests', {
      body: { phoneNumbers: asked.phoneNumbers },
      idempotencyKey: asked.key,
    });
    unanswered.current = null;
    return successes.length;
  };
  const ask = async (phones: string[]) => {
    const lost = unanswered.current;
    const phoneNumbers = phones.filter((phone) => !lost?.phoneNumbers.includes(phone));
    setAsking(true);
    try {
      let people = lost ? await send(lost) : 0;
      if (phoneNumbers.length > 0) people += await send({ phoneNumbers, key: newKey() });
      await done(`${count(people, 'person was', 'people were')} asked.`);
    } catch (error) {
      if (!isInDoubt(error, lost === null)) unanswered.current = null;
      toast(`${(error as Error).message} Press it again: nobody is asked twice.`);
    }
    setAsking(false);
  };
  return { ask, isAsking };
}
