import { parseArgs } from 'node:util'
import { assert } from '../../../platform/assert.ts'
import { echo, hasForbiddenControl } from '../../../platform/text/text.ts'
import type { AloneInput, CommandInput } from './input.ts'
import { WrongUsage } from './wrong-usage.ts'

/** The answer of a command: one JSON value for --json, lines for a person, an exit code. */
export type CommandAnswer = { json: unknown; lines: readonly string[]; exitCode?: number }

/** Answers with rows as JSON and as lines; `none` is the line where there are none. */
export const answerRows = <Row>(
  rows: readonly Row[],
  { none, present, lines }: { none: string; present(row: Row): unknown; lines(row: Row): string | string[] },
): CommandAnswer => ({ json: rows.map(present), lines: rows.length === 0 ? [none] : rows.flatMap(lines) })

/** Formats facts by name, a line each, with their values aligned. */
export const formatFacts = (facts: Readonly<Record<string, unknown>>, width: number): string[] =>
  Object.entries(facts).map(([name, value]) => `${name.padEnd(width)} ${value ?? '-'}`)

type CommandOption = { type: 'string' | 'boolean' }

export type CommandSpec = {
  /** `merchants create`, as it is typed. */
  name: string
  usage: string
  says: string
  /** How many words follow the name, at least and at most. */
  words: { min: number; max: number }
  options: Readonly<Record<string, CommandOption>>
  run: RunOnGateway | { alone: RunAlone }
}

type RunOnGateway = (input: CommandInput) => Promise<CommandAnswer>
/** Runs without the database of the service, which may be lost, or is opened by the command itself. */
type RunAlone = (input: AloneInput) => Promise<CommandAnswer>

type CommandInputSpec<Run> = Pick<CommandSpec, 'usage' | 'says'> & {
  run: Run
  /** Text options that the usage does not show. */
  unshown?: readonly string[]
}

// `sandbox set <m> [--hold realistic|none]`: the name, the words, the options.
const USAGE_FORM = /^([a-z][a-z-]*(?: [a-z][a-z-]*)*)((?: <m>| \[[A-Z]+\])*)((?: \[?--.*)?)$/

/**
 * Declares a command. Its input is read from its usage: after the name the words (`<m>`, or `[NAME]` where it is optional), then the
 * options, `--id I` with a text or `--verified` without.
 */
export const command = (input: CommandInputSpec<RunOnGateway>): CommandSpec => declare(input)

/** Declares a command that runs without the database of the service. */
export const commandAlone = ({ run, ...input }: CommandInputSpec<RunAlone>): CommandSpec =>
  declare({ ...input, run: { alone: run } })

function declare({ usage, says, unshown = [], run }: CommandInputSpec<CommandSpec['run']>): CommandSpec {
  const parsed = USAGE_FORM.exec(usage)
  assert(parsed, `the usage of a command can be read: ${usage}`)
  const [, name = '', words = '', options = ''] = parsed
  const shownOptions = [...options.matchAll(/--([a-z-]+)( [^[-])?/g)]
  return {
    name,
    usage,
    says,
    words: { min: words.split('<').length - 1, max: words.split(' ').length - 1 },
    options: Object.fromEntries([
      ...shownOptions.map(([, option = '', value]) => [option, value === undefined ? FLAG : TEXT]),
      ...unshown.map((option) => [option, TEXT]),
    ]),
    run,
  }
}

const TEXT = { type: 'string' } as const
const FLAG = { type: 'boolean' } as const

/** Splits the arguments into the command they name, its words and its options. Throws WrongUsage. */
export function parseCommandLine(commands: readonly CommandSpec[], args: readonly string[]) {
  const command = getCommand(commands, args)
  const rest = args.slice(command.name.split(' ').length)
  const { values, positionals } = parseOptions(command, rest)
  const { min, max } = command.words
  if (positionals.length < min || positionals.length > max) throw new WrongUsage(`usage: gateway ${command.usage}`)
  refuseControls(positionals, values)
  return { command, words: positionals, options: values as CommandInput['options'] }
}

// Options that may have several lines.
const MULTILINE_OPTIONS = new Set(['description', 'notes'])

/**
 * Throws for control characters: names, notes and reasons are shown on terminals and pages, where they would take effect (contract.md
 * 2.0).
 */
function refuseControls(words: readonly string[], values: Readonly<Record<string, unknown>>): void {
  for (const word of words)
    if (hasForbiddenControl(word, false)) throw new WrongUsage(`${echo(word)} contains control characters`)
  for (const [name, value] of Object.entries(values))
    if (typeof value === 'string' && hasForbiddenControl(value, MULTILINE_OPTIONS.has(name)))
      throw new WrongUsage(`--${name} contains control characters`)
}

function parseOptions(command: CommandSpec, args: readonly string[]) {
  try {
    const options = { ...command.options, json: { type: 'boolean' as const } }
    return parseArgs({ args: [...args], options, allowPositionals: true, strict: true })
  } catch (error) {
    throw new WrongUsage(`${(error as Error).message}\nusage: gateway ${command.usage}`)
  }
}

function getCommand(commands: readonly CommandSpec[], args: readonly string[]): CommandSpec {
  const typed = args.filter((arg) => !arg.startsWith('-'))
  const command = commands.find(({ name }) => {
    const parts = name.split(' ')
    return parts.every((part, index) => args[index] === part)
  })
  if (command) return command
  throw new WrongUsage(
    `there is no command ${echo(typed.slice(0, 2).join(' ')) || '(none given)'}\n\n${formatOverview(commands)}`,
  )
}

/** The list of all commands with their descriptions. */
export function formatOverview(commands: readonly CommandSpec[]): string {
  return [
    'usage: gateway <command> [--json]',
    ...commands.map(({ usage, says }) => `\n  ${usage}\n      ${says}`),
  ].join('\n')
}
