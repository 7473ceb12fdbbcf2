import { parseArgs } from 'node:util'
import { UsageError } from './faults.ts'
import type { Terminal } from './terminal.ts'

export type Environment = Readonly<Record<string, string | undefined>>

/** An option of a command. `value` names what follows it, and is absent where nothing does. */
type Option = { help: string; value?: string; choices?: readonly string[] }

export type Options = Readonly<Record<string, Option>>

export type Command = {
  /** How it is called: `charges list`. */
  words: string
  /** What follows these words: `ID`, `[CHARGE]`. */
  args?: string
  summary: string
  options?: Options
  /** More than the summary, for `help`. */
  details?: string
  /** Returns the exit code: 0, or 1 where the answer is no. */
  run(call: Call): Promise<number>
}

/** One call of a command. */
export type Call = { terminal: Terminal; environment: Environment; given: Given }

/** What was written behind the words of a command. */
export type Given = {
  args: readonly string[]
  has(name: string): boolean
  text(name: string): string | undefined
  /** A whole number, `fallback` where it was not given. Throws UsageError where it is none, or above `most`. */
  whole(name: string, limits: { fallback: number; most: number }): number
}

export const COMMON_OPTIONS = {
  json: { help: 'print JSON instead of tables' },
  help: { help: 'explain the command' },
} satisfies Options

/** Finds the command with the longest name that these words begin with, and parses what follows. Null: none has such a name. */
export function findCommand(
  commands: readonly Command[],
  words: readonly string[],
): { command: Command; rest: string[] } | null {
  const fits = commands.filter(({ words: name }) => name.split(' ').every((word, at) => words[at] === word))
  const [command] = fits.toSorted((one, other) => other.words.length - one.words.length)
  return command === undefined ? null : { command, rest: words.slice(command.words.split(' ').length) }
}

/** Parses options and arguments. Throws UsageError. */
export function parseGiven(command: Command, words: readonly string[]): Given {
  const known: Options = { ...command.options, ...COMMON_OPTIONS }
  const { values, positionals } = parseWords(command, known, words)
  if (values.help === undefined) checkArgs(command, positionals)
  const text = (name: string) => {
    const value = values[name]
    return typeof value === 'string' ? checkChoice(name, value, known[name]) : undefined
  }
  return { args: positionals, has: (name) => values[name] !== undefined, text, whole: wholeOf(text) }
}

function parseWords(command: Command, known: Options, words: readonly string[]) {
  const options = Object.fromEntries(
    Object.entries(known).map(([name, { value }]) => {
      const short = name === 'help' ? { short: 'h' } : {}
      return [name, { type: value === undefined ? ('boolean' as const) : ('string' as const), ...short }]
    }),
  )
  try {
    return parseArgs({ args: [...words], options, allowPositionals: true })
  } catch (error) {
    const [why = ''] = (error as Error).message.split('. ')
    throw new UsageError(`${why}; see: mmg help ${command.words}`)
  }
}

function checkArgs({ words, args = '' }: Command, given: readonly string[]): void {
  const names = args.split(' ').filter((name) => name !== '')
  const needed = names.filter((name) => !name.startsWith('['))
  if (given.length < needed.length) throw new UsageError(`${needed[given.length]} is missing: mmg ${words} ${args}`)
  if (given.length > names.length)
    throw new UsageError(`"${given[names.length]}" is one word too many: mmg ${`${words} ${args}`.trim()}`)
}

function checkChoice(name: string, value: string, option: Option | undefined): string {
  const { choices } = option ?? {}
  if (choices === undefined || choices.includes(value)) return value
  throw new UsageError(`--${name} must be one of ${choices.join(', ')}`)
}

const wholeOf =
  (text: Given['text']): Given['whole'] =>
  (name, { fallback, most }) => {
    const written = text(name)
    if (written === undefined) return fallback
    const number = /^\d{1,9}$/.test(written) ? Number(written) : 0
    if (number < 1 || number > most) throw new UsageError(`--${name} must be a whole number from 1 to ${most}`)
    return number
  }
