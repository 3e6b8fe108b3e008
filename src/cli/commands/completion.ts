import path from 'node:path';
import { Argument, Command } from 'commander';

const checkout = path.join(import.meta.dirname, '..', '..', '..');

export function completionCommand(): Command {
  return new Command('completion')
    .description('Print what makes a shell complete these commands')
    .addArgument(new Argument('<shell>').choices(['bash', 'zsh']))
    .addHelpText('after', completionHelp)
    .action((shell: string, _: unknown, self: Command) => {
      const program = self.parent ?? self;
      process.stdout.write(shell === 'bash' ? bashScript(program) : zshScript(program));
    });
}

/** What may follow each command: its commands, else its options. */
function wordsByCommand(command: Command, place: string): [place: string, words: string][] {
  const own = [...command.options, { long: '--help' }]
    .map(({ long }) => long)
    .filter((long) => long !== undefined);
  const shared = place === '' ? [] : ['--json', '--actor'];
  const names = command.commands.map((one) => one.name()).filter((name) => name !== 'help');
  const words = [...new Set([...names, ...own, ...shared])].join(' ');
  const below = command.commands.flatMap((one) => wordsByCommand(one, `${place} ${one.name()}`.trim()));
  return [[place, words], ...below];
}

function cases(program: Command): string {
  const words = wordsByCommand(program, '');
  return words.map(([place, text]) => `    '${place}') words='${text}' ;;`).join('\n');
}

/** The command itself, so that it need not be called by way of npm. */
const shellFunction = `operator() { "${checkout}/node_modules/.bin/node" "${checkout}/src/cli/main.ts" "$@"; }`;

function bashScript(program: Command): string {
  return `${shellFunction}
_operator() {
  local place='' words='' word index
  for ((index = 1; index < COMP_CWORD; index++)); do
    word="\${COMP_WORDS[index]}"
    [[ "$word" == -* ]] && break
    [[ $index -gt 2 ]] && break
    place="\${place:+$place }$word"
  done
  while :; do
    case "$place" in
${cases(program)}
    esac
    [[ -n "$words" || -z "$place" ]] && break
    [[ "$place" == *' '* ]] && place="\${place% *}" || place=''
  done
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
  [[ \${#COMPREPLY[@]} -eq 0 ]] && COMPREPLY=($(compgen -f -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o filenames -F _operator operator
`;
}

function zshScript(program: Command): string {
  return `#compdef operator
${shellFunction}
_operator() {
  local place='' answers='' index
  for ((index = 2; index < CURRENT && index <= 3; index++)); do
    [[ "\${words[index]}" == -* ]] && break
    place="\${place:+$place }\${words[index]}"
  done
  while :; do
    case "$place" in
${cases(program).replaceAll('words=', 'answers=')}
    esac
    [[ -n "$answers" || -z "$place" ]] && break
    [[ "$place" == *' '* ]] && place="\${place% *}" || place=''
  done
  compadd -- \${=answers} || _files
}
(( $+functions[compdef] )) || { autoload -Uz compinit && compinit; }
compdef _operator operator
`;
}

const completionHelp = `
Examples:
  bash:  eval "$(npm run --silent operator -- completion bash)"
  zsh:   eval "$(npm run --silent operator -- completion zsh)"
Either also defines the command operator itself. Put the line into ~/.bashrc or ~/.zshrc to keep it.`;
