import { type Environment, findCommand, parseGiven } from './command.ts'
import { COMMANDS } from './commands.ts'
import { reportFault, UsageError } from './faults.ts'
import { formatHelp, formatHelpFor } from './help.ts'
import { openTerminal, type Terminal } from './terminal.ts'
import { VERSION } from './version.ts'

const HELP_WORDS = ['help', '--help', '-h']

/** Runs one command. Returns the exit code. */
async function run(terminal: Terminal, words: readonly string[], environment: Environment): Promise<number> {
  const [first] = words
  if (first === '--version') {
    terminal.out(terminal.json ? JSON.stringify({ version: VERSION }) : VERSION)
    return 0
  }
  const found = findCommand(COMMANDS, words)
  if (found === null && (first === undefined || words.some((word) => HELP_WORDS.includes(word)))) {
    const asked = words.filter((word) => !HELP_WORDS.includes(word))
    terminal.out(formatHelpFor(COMMANDS, asked))
    return first === undefined ? 2 : 0
  }
  if (found === null) throw new UsageError(unknownCommand(words))
  const { command, rest } = found
  const given = parseGiven(command, rest)
  if (!given.has('help')) return await command.run({ terminal, environment, given })
  terminal.out(formatHelp(command))
  return 0
}

/** Names what may follow the first word, where that is known. */
function unknownCommand(words: readonly string[]): string {
  const [first = ''] = words
  const next = COMMANDS.filter(({ words: name }) => name.startsWith(`${first} `)).map(({ words: name }) => name)
  return next.length > 0 ? `which one: ${next.join(', ')}?` : `there is no command ${first}; mmg help lists all`
}

// Wherever it stands: `mmg --json balance`.
const JSON_WORD = '--json'
const words = process.argv.slice(2).filter((word) => word !== JSON_WORD)
const environment: Environment = process.env
const terminal = openTerminal(
  { input: process.stdin, output: process.stdout, errors: process.stderr },
  {
    json: process.argv.includes(JSON_WORD),
    noColour: (environment.NO_COLOR ?? '') !== '' || environment.TERM === 'dumb',
  },
)
process.exitCode = await run(terminal, words, environment).catch((fault: unknown) => reportFault(terminal, fault))
