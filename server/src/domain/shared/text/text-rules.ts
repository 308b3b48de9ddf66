/** In code points. */
export const textLengthMax = 1_600;

const visible = /[^\s\p{Default_Ignorable_Code_Point}\p{Cf}]/u;
const controlCharacter = /[\p{Cc}--[\t\n\r]]/v;

/** Whether nothing is visible: only whitespace, zero-width and format characters. */
export function isBlank(text: string): boolean {
  return !visible.test(text);
}

/** Whether it has a C0, DEL or C1 character that a text can't contain: any but tab, line feed and carriage return. */
export function hasControlCharacters(text: string): boolean {
  return controlCharacter.test(text);
}
