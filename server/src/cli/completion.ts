import { type Description, firstSentence } from './help.ts';
import { UsageError, type Verb, valueIn } from './verb.ts';

export const completionVerbs: Verb[] = [
  {
    name: 'completion',
    about:
      'Print a tab-completion script for commands, options and their values. Load it in your shell’s startup file, such as ~/.bashrc.',
    operands: ['bash|zsh|fish'],
    examples: [
      'completion bash >> ~/.bashrc',
      'completion zsh >> ~/.zshrc',
      'completion fish > ~/.config/fish/completions/assent.fish',
    ],
    offline: true,
    run: async ({ operands: { 'bash|zsh|fish': shell = '' }, out }) => {
      const script = scripts[shell];
      if (!script) throw new UsageError(`The shell must be bash, zsh or fish, not "${shell}".`);
      out.line(script);
    },
  },
];

/** What may come next, as a shell's script asks for it: one a line, with what it means after a tab. The last word is being typed. */
export function complete(words: string[], verbs: Description[]): string {
  const typed = words.at(-1) ?? '';
  const found = candidates(words[0] === 'help' ? words.slice(1) : words, verbs);
  return found
    .filter(([word]) => word.startsWith(typed))
    .map(([word, about]) => `${word}\t${about}\n`)
    .join('');
}

type Candidate = [word: string, about: string];

/** None where only the person knows the word: the shell then offers files. */
function candidates(words: string[], verbs: Description[]): Candidate[] {
  const before = words.slice(0, -1);
  const verb = verbs.find(({ name }) => name.split(' ').every((word, index) => before[index] === word));
  if (!verb) return nextWords(before, verbs);
  const given = before.slice(verb.name.split(' ').length);
  const option = verb.options[(given.at(-1) ?? '').replace(/^--/, '')];
  const value = option && valueIn(option);
  if (value) return choicesIn(value);
  const options = Object.entries(verb.options).map(
    ([name, { about }]): Candidate => [`--${name}`, firstSentence(about)],
  );
  const others = options.filter(([name]) => !given.includes(name));
  const operand = verb.operands[operandsIn(given, verb)] ?? '';
  if (/FILE|DIR/.test(operand) && !words.at(-1)?.startsWith('-')) return [];
  return [...choicesIn(operand), ...others];
}

function nextWords(before: string[], verbs: Description[]): Candidate[] {
  const under = verbs.filter(({ name }) => before.every((word, index) => name.split(' ')[index] === word));
  const byWord = Map.groupBy(under, ({ name }) => name.split(' ')[before.length] ?? '');
  const found = [...byWord].map(([word, [first, ...more]]): Candidate => {
    const rest = [first, ...more].map((each) =>
      each?.name
        .split(' ')
        .slice(before.length + 1)
        .join(' '),
    );
    return [word, more.length > 0 ? rest.join(', ') : firstSentence(first?.about ?? '')];
  });
  return before.length === 0 ? [...found, ['help', 'Explain a command, with an example.']] : found;
}

/** `all|api|work`, but not `EMAIL|ID`. */
function choicesIn(value: string): Candidate[] {
  const words = value.split('|').filter((word) => /^[a-z]/.test(word));
  return words.map((word) => [word, '']);
}

/** How many operands there are so far. */
function operandsIn(given: string[], { options }: Description): number {
  return given.filter((word, index) => {
    const option = options[(given[index - 1] ?? '').replace(/^--/, '')];
    return !word.startsWith('--') && !(option && valueIn(option));
  }).length;
}

/** Each asks the command that is being typed, and offers files if it has no response. */
const scripts: Record<string, string> = {
  bash: `_assent() {
  local line
  COMPREPLY=()
  while IFS= read -r line; do
    COMPREPLY+=("\${line%%$'\\t'*}")
  done < <("\${COMP_WORDS[0]}" __complete "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o default -F _assent assent`,
  zsh: `#compdef assent
_assent() {
  local -a found
  found=("\${(@f)$("\${words[1]}" __complete "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  found=("\${(@)found/$'\\t'/:}")
  if [[ -n "\${found[1]}" ]]; then _describe assent found; else _files; fi
}
if [[ "\${funcstack[1]}" = _assent ]]; then
  _assent "$@"
else
  (( \${+functions[compdef]} )) || { autoload -Uz compinit && compinit; }
  compdef _assent assent
fi`,
  fish: `function __assent_complete
  set -l words (commandline -opc) (commandline -ct)
  set -l found ($words[1] __complete $words[2..-1] 2>/dev/null)
  if test (count $found) -gt 0
    printf '%s\\n' $found
  else
    __fish_complete_path (commandline -ct)
  end
end
complete -c assent -f -a '(__assent_complete)'`,
};
