// The named statements of the store, with everything filled in: what `npm run generate` writes to statements.sql.
//
// A statement gets its name in a call like `db.query(text, values, 'find-consent')`. If its text needs nothing but what is at the
// top level of its file, it is evaluated there. If it depends on the call, `variants` has a call for each of its names.
import { globSync, readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import ts from 'typescript';
import { bookPage } from './src/store/address-book/contact-pages.ts';
import { listContacts } from './src/store/address-book/contact-search.ts';
import { contactSorts } from './src/store/address-book/contact-summaries.ts';
import { findConversation, listConversations } from './src/store/conversations/conversations.ts';
import type { Db, Transaction } from './src/store/database/db.ts';
import { findMemberOfContact } from './src/store/members/members.ts';
import { lockDue } from './src/store/messages/due-messages.ts';
import { listMessages } from './src/store/messages/message-pages.ts';
import { listScheduledMessages } from './src/store/messages/scheduled-messages.ts';
import { listScreenedTexts } from './src/store/supervision/dry-runs.ts';

export type Statement = { name: string; text: string };

/** A statement in the source. If its name has something to fill in, `names` has what it begins with. */
type NamedStatement = { names: string[]; text: ts.Expression | undefined; isFixed: boolean };

const store = new URL('src/store/', import.meta.url);
const methods = ['query', 'find', 'one', 'value', 'has', 'write', 'lookUp', 'lookUpOne', 'lookUpPage'];

async function callVariants(db: Db): Promise<void> {
  const [advisorId, now, page] = [1, new Date(0), { offset: 0n, limit: 20 }];
  for (const wait of [false, true]) await lockDue(db, now, { limit: 1, wait });
  for (const by of [{ phone: '' }, { memberId: 1 }]) await findMemberOfContact(db, advisorId, by);
  for (const by of [{ phone: '' }, { memberId: 1 }]) await findConversation(db, advisorId, by, now);
  for (const kind of ['out', 'in', 'blocked'] as const)
    await listScreenedTexts(db, kind, { advisorId, since: now, before: null, limit: 1 });
  for (const view of ['inbox', 'unread', 'snoozed', 'done'] as const)
    await listConversations(db, advisorId, { view, now, after: null, limit: 1 });
  for (const descending of [false, true]) {
    await listScheduledMessages(db, advisorId, 'scheduled', { ...page, descending, sortBy: 'deliveryDate' });
    for (const sortBy of contactSorts) {
      const order = { ...page, descending, sortBy };
      for (const filter of [{}, { phone: '' }, { remoteContactId: '' }, { modifiedSince: now }])
        await listContacts(db, advisorId, filter, order);
      for (const { text, values, name } of [bookPage(advisorId, order), bookPage(advisorId, order, now)])
        await db.query(text, values, name);
    }
  }
  const filters = [{ phone: '' }, { memberId: 1 }, { scheduledMessageId: 1 }, { createdSince: now }];
  for (const filter of [{}, ...filters, { status: 'sent' } as const, { status: 'failed' } as const])
    await listMessages(db, advisorId, filter, page);
}

/** The statements of all files of the store, in the order of their names. */
export async function listStatements(): Promise<Statement[]> {
  const hooks = registerHooks({
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context);
      return url.endsWith('?statements') ? { ...loaded, source: withFixedStatements(String(loaded.source)) } : loaded;
    },
  });
  try {
    const modules = await Promise.all(files().map((file) => import(`${new URL(file, store).href}?statements`)));
    const fixed: Statement[] = modules.flatMap(({ fixedStatements }) => fixedStatements());
    const all = new Map([...fixed, ...(await recordVariants())].map((statement) => [statement.name, statement]));
    return [...all.values()].sort((one, other) => (one.name < other.name ? -1 : 1));
  } finally {
    hooks.deregister();
  }
}

/** Every name in the source, or what it begins with. */
export function listNames(): string[] {
  return files().flatMap((file) => namedIn(readFileSync(new URL(file, store), 'utf8')).flatMap(({ names }) => names));
}

/** Without those that only a distributed database runs. */
function files(): string[] {
  return globSync('**/*.ts', { cwd: store, exclude: ['database/distribution/**'] });
}

function withFixedStatements(source: string): string {
  const fixed = namedIn(source).filter(({ isFixed }) => isFixed);
  const list = fixed.map(({ names, text }) => `{ name: '${names[0]}', text: ${text?.getText()} }`);
  return `${source}\nexport const fixedStatements = () => [${list.join()}];`;
}

function namedIn(source: string): NamedStatement[] {
  const found: NamedStatement[] = [];
  const file = ts.createSourceFile('', source, ts.ScriptTarget.Latest, true);
  for (const declaration of file.statements) {
    const locals = localsIn(declaration);
    visit(declaration, (node) => {
      const [name, text] = nameAndText(node);
      const names = name ? literalsIn(name) : [];
      const isFixed = Boolean(name && text && ts.isStringLiteral(name) && !usesAny(text, locals));
      if (names.length > 0) found.push({ names, text, isFixed });
    });
  }
  return found;
}

/** Of a call, of a list of its arguments, or of an object with both. */
function nameAndText(node: ts.Node): [name?: ts.Expression, text?: ts.Expression] {
  if (ts.isCallExpression(node)) {
    const [text, , name] = node.arguments;
    const isRun = ts.isPropertyAccessExpression(node.expression) && methods.includes(node.expression.name.text);
    return isRun ? [name, text] : [];
  }
  if (ts.isArrayLiteralExpression(node)) {
    const [text, values, name] = node.elements;
    return values && ts.isArrayLiteralExpression(values) ? [name, text] : [];
  }
  if (!ts.isObjectLiteralExpression(node)) return [];
  const value = (key: string) =>
    node.properties.filter(ts.isPropertyAssignment).find(({ name }) => name.getText() === key)?.initializer;
  return value('text') ? [value('name'), value('text')] : [];
}

function literalsIn(name: ts.Expression): string[] {
  if (ts.isConditionalExpression(name)) return [name.whenTrue, name.whenFalse].flatMap(literalsIn);
  if (ts.isTemplateExpression(name)) return [name.head.text];
  return ts.isStringLiteral(name) ? [name.text] : [];
}

function localsIn(declaration: ts.Node): Set<string> {
  const locals = new Set<string>();
  const isLocal = (node: ts.Node) =>
    ts.isVariableDeclaration(node) || ts.isParameter(node) || ts.isBindingElement(node);
  visit(declaration, (node) => {
    if (isLocal(node.parent) && ts.isIdentifier(node) && node.parent.name === node) locals.add(node.text);
  });
  return locals;
}

function usesAny(text: ts.Expression, locals: Set<string>): boolean {
  const own = localsIn(text);
  let found = false;
  visit(text, (node) => {
    const isProperty = ts.isPropertyAccessExpression(node.parent) && node.parent.name === node;
    const isKey = ts.isPropertyAssignment(node.parent) && node.parent.name === node;
    if (!ts.isIdentifier(node) || isProperty || isKey) return;
    if (locals.has(node.text) && !own.has(node.text)) found = true;
  });
  return found;
}

function visit(node: ts.Node, each: (node: ts.Node) => void): void {
  each(node);
  ts.forEachChild(node, (child) => visit(child, each));
}

/** Calls what makes them, on a database that finds nothing. */
async function recordVariants(): Promise<Statement[]> {
  const recorded: Statement[] = [];
  const record = async (text: string, _values?: unknown[], name?: string) => {
    if (name) recorded.push({ name, text });
    return [];
  };
  const db: Partial<Transaction> = {
    query: record,
    find: async (...statement) => (await record(...statement)).at(0) ?? null,
    value: async (...statement) => (await record(...statement)).at(0) ?? null,
    has: async (...statement) => (await record(...statement)).length > 0,
    write: async (...statement) => void (await record(...statement)),
    lookUp: record,
    lookUpOne: async (...statement) => (await record(...statement)).at(0) ?? null,
    lookUpPage: record,
    nodes: () => null,
  };
  await callVariants(db as Db);
  return recorded;
}
