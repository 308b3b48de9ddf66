/** The ones that people send in business, by name for those who don't see them. */
const emojis: [emoji: string, name: string][] = [
  ['🙂', 'slight smile'],
  ['😊', 'smile'],
  ['😀', 'grin'],
  ['😄', 'laugh'],
  ['😂', 'tears of joy'],
  ['😉', 'wink'],
  ['😍', 'heart eyes'],
  ['🤔', 'thinking'],
  ['😅', 'phew'],
  ['😎', 'cool'],
  ['🥳', 'party'],
  ['😢', 'sad'],
  ['😮', 'surprised'],
  ['🤝', 'handshake'],
  ['👋', 'wave'],
  ['🙏', 'thank you'],
  ['👍', 'thumbs up'],
  ['👎', 'thumbs down'],
  ['👌', 'OK'],
  ['👏', 'applause'],
  ['💪', 'strong'],
  ['🙌', 'hooray'],
  ['🤞', 'fingers crossed'],
  ['✌️', 'peace'],
  ['❤️', 'heart'],
  ['💙', 'blue heart'],
  ['💯', 'hundred'],
  ['✅', 'check mark'],
  ['❌', 'cross'],
  ['❗', 'exclamation mark'],
  ['❓', 'question mark'],
  ['⭐', 'star'],
  ['🎉', 'celebration'],
  ['🎂', 'birthday cake'],
  ['🎁', 'gift'],
  ['🥂', 'cheers'],
  ['☕', 'coffee'],
  ['🍽️', 'dinner'],
  ['🌞', 'sun'],
  ['🌈', 'rainbow'],
  ['📅', 'calendar'],
  ['⏰', 'alarm clock'],
  ['📞', 'phone'],
  ['📧', 'email'],
  ['📝', 'note'],
  ['📄', 'document'],
  ['📈', 'chart up'],
  ['📉', 'chart down'],
  ['💰', 'money'],
  ['🏦', 'bank'],
  ['🏠', 'house'],
  ['🚗', 'car'],
  ['✈️', 'plane'],
  ['🎓', 'graduation'],
  ['👶', 'baby'],
  ['💍', 'ring'],
];

export default function EmojiPicker({ choose }: { choose(emoji: string): void }) {
  return (
    <div className="emojis">
      {emojis.map(([emoji, name]) => (
        <button type="button" key={name} aria-label={name} title={name} onClick={() => choose(emoji)}>
          {emoji}
        </button>
      ))}
    </div>
  );
}
