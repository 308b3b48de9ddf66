import type { Context } from 'koa';
import type { KoaContextWithOIDC } from 'oidc-provider';
import { explain, type OAuthError } from './explanations.ts';

/** Makes an error page and its headers; http/ provides it. */
export type ErrorPage = (what: ErrorText & { status: number }) => { html: string; headers: Record<string, string> };
type ErrorText = { title: string; message: string; next: string };

export function sendErrorPage(
  ctx: Pick<Context, 'status' | 'set' | 'body'>,
  errorPage: ErrorPage,
  text: ErrorText,
): void {
  const { html, headers } = errorPage({ status: ctx.status, ...text });
  ctx.set(headers);
  ctx.body = html;
}

/** Shows a page where a redirect isn't safe, because the request's redirect URI can't be trusted. */
export function errorRenderer(errorPage: ErrorPage) {
  return (ctx: KoaContextWithOIDC, out: OAuthError): void => {
    if (ctx.oidc.route !== 'authorization' && ctx.oidc.route !== 'resume') {
      ctx.body = out;
      return;
    }
    sendErrorPage(ctx, errorPage, {
      title: 'This link doesn’t work',
      message: sentence(out),
      next: 'Go back to the application and try again from there. If it happens again, contact the app’s developer.',
    });
  };
}

const sentences: Record<string, string> = {
  invalid_redirect_uri: 'The application asked to return to an address (redirect_uri) that is not registered for it.',
  invalid_client: 'The application (client_id) is unknown here.',
};

/** Our own descriptions start with a capital letter. Some of the library's are reworded for everybody, not just developers. */
function sentence(out: OAuthError): string {
  const isOurs = /^[A-Z]/.test(out.error_description ?? '');
  return `${(!isOurs && sentences[out.error]) || explain(out)} (${out.error})`;
}
