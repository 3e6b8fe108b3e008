import path from 'node:path';
import { Argument, Command } from 'commander';

const checkout = path.join(import.meta.dirname, '..', '..', '..');

const completionHelp = `
Examples:
  bash:  eval "$(npm run --silent operator -- completion bash)"
  zsh:   eval "$(npm run --silent operator -- completion zsh)"
Either line also defines the command operator. Add it to ~/.bashrc or ~/.zshrc to keep it.`;

export const completionCommand = new Command('completion')
  .description('Print a script that completes these commands in a shell')
  .addArgument(new Argument('<shell>').choices(['bash', 'zsh']))
  .addHelpText('after', completionHelp)
  .action((shell: string, _: unknown, self: Command) => {
    const program = self.parent ?? self;
    process.stdout.write(shell === 'bash' ? bashScript(program) : zshScript(program));
  });

/** @returns for each command the names of its subcommands and options */
function candidatesByCommand(command: Command, name = ''): [name: string, candidates: string][] {
  const subcommands = command.commands.map((subcommand) => subcommand.name());
  const options = command.options.flatMap(({ long }) => long ?? []);
  const sharedOptions = ['--help', ...(name === '' ? [] : ['--json', '--actor'])];
  const candidates = [...new Set([...subcommands, ...options, ...sharedOptions])].join(' ');
  const nested = command.commands.flatMap((subcommand) =>
    candidatesByCommand(subcommand, `${name} ${subcommand.name()}`.trim()),
  );
  return [[name, candidates], ...nested];
}

function caseBranches(program: Command): string {
  return candidatesByCommand(program)
    .map(([name, candidates]) => `    '${name}') candidates='${candidates}' ;;`)
    .join('\n');
}

/** Runs the command without npm, which takes a second longer. */
const shellFunction = `operator() { "${checkout}/node_modules/.bin/node" "${checkout}/src/cli/main.ts" "$@"; }`;

/** Falls back from an unknown subcommand to its command. */
function lookUp(program: Command): string {
  return `  while :; do
    case "$command" in
${caseBranches(program)}
    esac
    [[ -n "$candidates" || -z "$command" ]] && break
    [[ "$command" == *' '* ]] && command="\${command% *}" || command=''
  done`;
}

function bashScript(program: Command): string {
  return `${shellFunction}
_operator() {
  local command='' candidates='' word index
  for ((index = 1; index < COMP_CWORD && index <= 2; index++)); do
    word="\${COMP_WORDS[index]}"
    [[ "$word" == -* ]] && break
    command="\${command:+$command }$word"
  done
${lookUp(program)}
  COMPREPLY=($(compgen -W "$candidates" -- "\${COMP_WORDS[COMP_CWORD]}"))
  [[ \${#COMPREPLY[@]} -eq 0 ]] && COMPREPLY=($(compgen -f -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o filenames -F _operator operator
`;
}

function zshScript(program: Command): string {
  return `#compdef operator
${shellFunction}
_operator() {
  local command='' candidates='' index
  for ((index = 2; index < CURRENT && index <= 3; index++)); do
    [[ "\${words[index]}" == -* ]] && break
    command="\${command:+$command }\${words[index]}"
  done
${lookUp(program)}
  compadd -- \${=candidates} || _files
}
(( $+functions[compdef] )) || { autoload -Uz compinit && compinit; }
compdef _operator operator
`;
}
