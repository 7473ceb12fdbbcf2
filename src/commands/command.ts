import { parseArgs } from 'node:util'
import type { Actor } from '../actors/actor.ts'
import type { Gateway } from '../app.ts'
import { findMerchant } from '../merchants/set-merchant.ts'
import type { Opened } from '../open-gateway.ts'
import { echo, hasForbiddenControl } from '../platform/text.ts'
import type { Config } from '../settings/config.ts'

/** Wrong usage: the sentence goes to standard error, exit code 2. */
export class WrongUsage extends Error {}

/** The account on the machine that runs a command. */
export type CommandActor = Extract<Actor, { kind: 'command' | 'service' | 'public' }>

/** The input of a command: its words, its options, and the gateway on its database. */
export type CommandInput = {
  words: readonly string[]
  options: Readonly<Record<string, string | boolean | undefined>>
  gateway: Gateway
  /** Who runs it. */
  actor: CommandActor
  opened: Opened
  config: Config
}

/** The merchant that the first word names, by id or handle. Throws 404. */
export const ofMerchant = ({ gateway, words }: CommandInput) => findMerchant(gateway, words[0] ?? '')

/** The answer of a command: one JSON value for --json, lines for a person, an exit code. */
export type CommandAnswer = { json: unknown; lines: readonly string[]; exitCode?: number }

export type Command = {
  /** `merchants create`, as it is typed. */
  name: string
  usage: string
  says: string
  /** How many words follow the name. */
  words: number | { least: number; most: number }
  options: Readonly<Record<string, { type: 'string' | 'boolean' }>>
  run(input: CommandInput): Promise<CommandAnswer>
}

/** Splits the arguments into the command they name, its words and its options. Throws WrongUsage. */
export function readCommandLine(commands: readonly Command[], args: readonly string[]) {
  const command = findCommand(commands, args)
  const rest = args.slice(command.name.split(' ').length)
  const { values, positionals } = parse(command, rest)
  const { least, most } =
    typeof command.words === 'number' ? { least: command.words, most: command.words } : command.words
  if (positionals.length < least || positionals.length > most)
    throw new WrongUsage(`usage: gateway ${command.usage}`)
  refuseControls(positionals, values)
  return { command, words: positionals, options: values as CommandInput['options'] }
}

// Options that may have several lines.
const WITH_LINES = new Set(['description', 'notes'])

/** Names, notes and reasons are shown on terminals and pages, where control characters would take effect (contract.md 2.0). */
function refuseControls(words: readonly string[], values: Readonly<Record<string, unknown>>): void {
  for (const word of words)
    if (hasForbiddenControl(word, false)) throw new WrongUsage(`${echo(word)} contains control characters`)
  for (const [name, value] of Object.entries(values))
    if (typeof value === 'string' && hasForbiddenControl(value, WITH_LINES.has(name)))
      throw new WrongUsage(`--${name} contains control characters`)
}

function parse(command: Command, args: readonly string[]) {
  try {
    const options = { ...command.options, json: { type: 'boolean' as const } }
    return parseArgs({ args: [...args], options, allowPositionals: true, strict: true })
  } catch (error) {
    throw new WrongUsage(`${(error as Error).message}\nusage: gateway ${command.usage}`)
  }
}

function findCommand(commands: readonly Command[], args: readonly string[]): Command {
  const typed = args.filter((arg) => !arg.startsWith('-'))
  const found = commands.find(({ name }) => {
    const parts = name.split(' ')
    return parts.every((part, index) => args[index] === part)
  })
  if (found) return found
  throw new WrongUsage(
    `there is no command ${echo(typed.slice(0, 2).join(' ')) || '(none given)'}\n\n${overview(commands)}`,
  )
}

/** The list of all commands with their descriptions. */
export function overview(commands: readonly Command[]): string {
  return [
    'usage: gateway <command> [--json]',
    ...commands.map(({ usage, says }) => `\n  ${usage}\n      ${says}`),
  ].join('\n')
}

/** A required option, or wrong usage. */
export function required(input: CommandInput, name: string): string {
  const value = input.options[name]
  if (typeof value !== 'string' || value === '') throw new WrongUsage(`--${name} is required`)
  return value
}

export const optionalText = (input: CommandInput, name: string): string | undefined => {
  const value = input.options[name]
  return typeof value === 'string' ? value : undefined
}

/** A whole number given as an option, or wrong usage. */
export function wholeNumber(
  name: string,
  text: string,
  { low, high }: { low: number; high: number },
): number {
  const value = Number(text)
  if (!/^[0-9]+$/.test(text) || value < low || value > high)
    throw new WrongUsage(`--${name} must be a whole number from ${low} to ${high}`)
  return value
}

/** One of several words, or wrong usage. */
export function oneOf<const T extends string>(name: string, text: string, choices: readonly T[]): T {
  const found = choices.find((choice) => choice === text)
  if (found === undefined) throw new WrongUsage(`--${name} must be one of ${choices.join(', ')}`)
  return found
}

export const text = { type: 'string' } as const
export const flag = { type: 'boolean' } as const
