import { savedReplyTitleLengthMax } from '../../domain/conversations/saved-replies.ts';
import { MessageText } from '../messages/messages.ts';
import { Id } from '../shared/strings.ts';
import { Type } from '../shared/type.ts';

export const SavedReplyParams = Type.Object({ savedReplyId: Id() });
export const SavedReplyRequest = Type.Object({
  title: Type.String({ 'x-trim': true, minLength: 1, maxLength: savedReplyTitleLengthMax, 'x-format': 'name' }),
  text: MessageText,
});
