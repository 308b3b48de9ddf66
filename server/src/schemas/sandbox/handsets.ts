import { textLengthMax } from '../../domain/shared/text/text-rules.ts';
import { DateTime, Phone } from '../shared/strings.ts';
import { Type } from '../shared/type.ts';

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
    text: Type.Optional(
      Type.String({
        maxLength: textLengthMax,
        description: 'Such as ACCEPT, STOP or any text. It can be empty, or left out, if there is media.',
      }),
    ),
    media: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 2_000 }), {
        maxItems: 10,
        description:
          'Pictures and the like that come with it, each by the address where it is. `sample` is a small picture that needs no network.',
      }),
    ),
  },
  {
    title: 'Handset reply',
    examples: [
      { to: '+15005551001', text: 'Yes, Tuesday is fine.' },
      { to: '+15005551001', text: 'The signed form', media: ['sample'] },
    ],
  },
);

export const HandsetReplyResult = Type.Object({}, { title: 'Handset reply result', examples: [{}] });
