import type { Actor } from '../../../api/access/actor.ts'
import { getMerchantNamed } from '../../../merchants/account/set-merchant.ts'
import type { Gateway } from '../../app.ts'
import type { OpenedGateway } from '../../open-gateway.ts'
import type { Config } from '../../settings/config.ts'
import { WrongUsage } from './wrong-usage.ts'

/** The account on the machine that runs a command. */
export type CommandActor = Extract<Actor, { kind: 'command' | 'service' | 'public' }>

/** The input of a command: its words, its options, and the gateway on its database. */
export type CommandInput = {
  words: readonly string[]
  options: Readonly<Record<string, string | boolean | undefined>>
  gateway: Gateway
  /** The account that runs it. */
  actor: CommandActor
  opened: OpenedGateway
  config: Config
  /** Writes progress for a person who waits; it is no part of the answer. */
  say(line: string): void
}

/** The input of a command that runs without the database of the service. */
export type AloneInput = Pick<CommandInput, 'words' | 'options' | 'config' | 'say'> & {
  /** Aborted when the process is told to stop. */
  stopping: AbortSignal
}

type WithOptions = Pick<CommandInput, 'options'>

/** The merchant that the first word names, by id or handle. Throws 404. */
export const getCommandMerchant = ({ gateway, words }: CommandInput) => getMerchantNamed(gateway, words[0] ?? '')

/**
 * The merchant of the first word, and an option that names one of its objects. The option is read first, so that wrong usage is reported
 * before an unknown merchant.
 */
export async function getMerchantAndId(input: CommandInput, option: string) {
  const id = requireText(input, option)
  return { ...(await getCommandMerchant(input)), id }
}

/** The text of a required option. Throws WrongUsage. */
export function requireText(input: WithOptions, name: string): string {
  const value = input.options[name]
  if (typeof value !== 'string' || value === '') throw new WrongUsage(`--${name} is required`)
  return value
}

export const findText = (input: WithOptions, name: string): string | undefined => {
  const value = input.options[name]
  return typeof value === 'string' ? value : undefined
}

/** Parses a whole number of an option. Throws WrongUsage. */
export function parseWholeNumber(name: string, text: string, { low, high }: { low: number; high: number }): number {
  const value = Number(text)
  if (!/^[0-9]+$/.test(text) || value < low || value > high)
    throw new WrongUsage(`--${name} must be a whole number from ${low} to ${high}`)
  return value
}

/** Parses one of several words. Throws WrongUsage. */
export function parseChoice<const T extends string>(name: string, text: string, choices: readonly T[]): T {
  const choice = choices.find((known) => known === text)
  if (choice === undefined) throw new WrongUsage(`--${name} must be one of ${choices.join(', ')}`)
  return choice
}

/** Parses `--mode`; test is the default. */
export const parseMode = (input: CommandInput) =>
  parseChoice('mode', findText(input, 'mode') ?? 'test', ['test', 'live'])

/** Parses a positive amount of whole UGX. Throws WrongUsage. */
export const parseAmount = (text: string) => parseWholeNumber('amount', text, { low: 1, high: Number.MAX_SAFE_INTEGER })

/** Parses `--key` of a command that is done once for each key. Throws WrongUsage. */
export function parseKey(input: CommandInput, longest: number): string | undefined {
  const key = findText(input, 'key')
  if (key !== undefined && (key === '' || key.length > longest))
    throw new WrongUsage(`--key must be 1 to ${longest} characters`)
  return key
}
