import { Type } from 'typebox';
import { textLengthMax } from '../../domain/shared/text/text-rules.ts';
import { DateTime, Phone } from '../shared/strings.ts';

export const HandsetParams = Type.Object({
  phone: Phone({ description: 'The phone’s number, in E.164.', examples: ['+15005550006'] }),
});

export const HandsetMessages = Type.Object(
  {
    data: Type.Array(
      Type.Object(
        {
          from: Type.String({ description: 'The advisor’s texting number.' }),
          to: Type.String({ description: 'The phone’s number.' }),
          text: Type.String(),
          dateTime: DateTime(),
        },
        { title: 'Handset message' },
      ),
    ),
  },
  {
    title: 'Handset messages',
    examples: [
      {
        data: [
          {
            from: '+15005551001',
            to: '+15005550006',
            text: 'Your annual review is due. Does Tuesday at 10 suit you?',
            dateTime: '2026-03-01T17:05:00.120Z',
          },
        ],
      },
    ],
  },
);

export const HandsetReply = Type.Object(
  {
    to: Phone({ description: 'The texting number of the advisor who gets it.' }),
    text: Type.String({ minLength: 1, maxLength: textLengthMax, description: 'Such as ACCEPT, STOP or any text.' }),
  },
  { title: 'Handset reply', examples: [{ to: '+15005551001', text: 'Yes, Tuesday is fine.' }] },
);

export const HandsetReplyResult = Type.Object({}, { title: 'Handset reply result', examples: [{}] });
