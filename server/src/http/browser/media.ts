/** By their first bytes, in hexadecimal: what a stranger's phone called it counts for nothing. */
const pictures: [type: string, begins: RegExp][] = [
  ['image/png', /^89504e470d0a1a0a/],
  ['image/jpeg', /^ffd8ff/],
  ['image/gif', /^474946383[79]61/],
  ['image/webp', /^52494646.{8}57454250/],
];

/** For what came with a reply: a picture is shown, anything else is a download, and nothing in it runs. */
export function mediaHeaders(bytes: Buffer): Record<string, string> {
  const head = bytes.subarray(0, 16).toString('hex');
  const type = pictures.find(([, begins]) => begins.test(head))?.[0];
  return {
    'content-type': type ?? 'application/octet-stream',
    'content-disposition': type ? 'inline' : 'attachment; filename="attachment"',
    'content-security-policy': "default-src 'none'; sandbox",
    'x-content-type-options': 'nosniff',
    'cache-control': 'private, max-age=3600',
  };
}
