import { COMMON_OPTIONS, type Command } from '../command.ts'
import { UsageError } from '../faults.ts'

type Scripts = Readonly<Record<string, (commands: readonly Command[]) => string>>

/** The words that may follow some others: the next words of commands, or the options of a whole one. */
function nextWords(commands: readonly Command[]): [before: string, words: string[]][] {
  const next = new Map<string, Set<string>>([['', new Set(['help'])]])
  const add = (before: string, word: string) => next.set(before, (next.get(before) ?? new Set()).add(word))
  for (const { words, options } of commands) {
    const parts = words.split(' ')
    for (const [at, word] of parts.entries()) add(parts.slice(0, at).join(' '), word)
    for (const name of Object.keys({ ...options, ...COMMON_OPTIONS })) add(words, `--${name}`)
  }
  return [...next].map(([before, words]) => [before, [...words].toSorted()])
}

const cases = (commands: readonly Command[], offer: (words: string) => string) =>
  nextWords(commands)
    .map(([before, words]) => `    '${before}') ${offer(words.join(' '))} ;;`)
    .join('\n')

// The words before the one that is typed, without options: they name the command.
const BASH = (commands: readonly Command[]) => `# bash completion of mmg: eval "$(mmg completion bash)"
_mmg() {
  local word before='' offered=''
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$word" in -*) break ;; esac
    before="\${before:+$before }$word"
  done
  case "$before" in
${cases(commands, (words) => `offered='${words}'`)}
    *) COMPREPLY=(); return ;;
  esac
  COMPREPLY=($(compgen -W "$offered" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _mmg mmg
`

const ZSH = (commands: readonly Command[]) => `#compdef mmg
# zsh completion of mmg: eval "$(mmg completion zsh)"
_mmg() {
  local word before=''
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "$word" in -*) break ;; esac
    before="\${before:+$before }$word"
  done
  case "$before" in
${cases(commands, (words) => `compadd -- ${words}`)}
    *) _files ;;
  esac
}
compdef _mmg mmg
`

const SCRIPTS: Scripts = { bash: BASH, zsh: ZSH }

/** The command that prints how a shell completes these commands, itself among them. */
export function completionOf(commands: () => readonly Command[]): Command {
  return {
    words: 'completion',
    args: 'SHELL',
    summary: 'print the completion of commands for bash or zsh',
    details:
      'Put this line into ~/.bashrc: eval "$(mmg completion bash)", or into ~/.zshrc: eval "$(mmg completion zsh)"',
    run: async ({ terminal, given }) => {
      const [shell = ''] = given.args
      const script = Object.hasOwn(SCRIPTS, shell) ? SCRIPTS[shell]?.(commands()) : undefined
      if (script === undefined) throw new UsageError('SHELL must be bash or zsh')
      terminal.out(terminal.json ? JSON.stringify({ shell, script }) : script.trimEnd())
      return 0
    },
  }
}
