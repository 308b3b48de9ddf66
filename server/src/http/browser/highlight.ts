import hljs from 'highlight.js/lib/core';
import bash from 'highlight.js/lib/languages/bash';
import http from 'highlight.js/lib/languages/http';
import ini from 'highlight.js/lib/languages/ini';
import javascript from 'highlight.js/lib/languages/javascript';
import json from 'highlight.js/lib/languages/json';
import python from 'highlight.js/lib/languages/python';
import sql from 'highlight.js/lib/languages/sql';
import typescript from 'highlight.js/lib/languages/typescript';
import yaml from 'highlight.js/lib/languages/yaml';
import { Html, html } from './page.ts';

const languages = { bash, http, ini, javascript, json, python, sql, typescript, yaml };
for (const [name, language] of Object.entries(languages)) hljs.registerLanguage(name, language);

/** Code with its words in `span`s, whose classes style.css colors. In a language that isn't known it is plain. */
export function highlighted(code: string, language: string): Html {
  if (!hljs.getLanguage(language)) return html`${code}`;
  // It escapes what it is given.
  return new Html(hljs.highlight(code, { language }).value);
}
