import { useQuery } from '@tanstack/react-query';
import { type FieldName, type FilledText, fillFields } from '../../../server/src/domain/texting/fields.ts';
import { contactQuery } from '../api/queries.ts';
import type { Recipient } from '../inbox/send-preview.ts';
import { Icon } from '../look/icons.tsx';
import { firstName } from '../words/people.ts';

export { type FieldName, fillFields };

export const fieldWords: Record<FieldName, string> = {
  firstName: 'First name',
  lastName: 'Last name',
  nickname: 'Nickname',
};

/** How a text's fields are filled in for this person. */
export function useFill({ contactId }: Recipient): (text: string) => FilledText {
  const { data } = useQuery({ ...contactQuery(contactId ?? 0), enabled: contactId !== null });
  return (text) => fillFields(text, data ?? {});
}

/** A text goes out as people will read it, so it waits until none of its fields is left. */
export function FieldsHint({
  filled,
  to,
  write,
  select,
}: {
  filled: FilledText;
  to: Recipient;
  write(text: string): void;
  select(piece: string): void;
}) {
  const [missing] = filled.missing;
  const name = firstName(to.name);
  return (
    <div className={`hint ${missing ? 'warn' : ''}`}>
      <Icon name={missing ? 'alert-triangle' : 'bookmark'} />
      <span className="grow">
        {missing ? (
          <>
            <b>
              {`{${missing}}`} isn’t known for {name === 'They' ? 'them' : name}.
            </b>{' '}
            Write something in its place.
          </>
        ) : (
          <b>This text has fields.</b>
        )}
      </span>
      <button type="button" className="link" onClick={() => (missing ? select(`{${missing}}`) : write(filled.text))}>
        {missing ? 'Show me' : 'Fill them in'}
      </button>
    </div>
  );
}
