import { isUtf8 } from 'node:buffer'
import { count } from '../../../platform/log/measures.ts'
import { Refusal } from '../../../platform/refusal.ts'
import { ExactNumber, formatNumber, parseExactJson } from '../../../platform/text/exact-json.ts'
import { echo, hasForbiddenControl } from '../../../platform/text/text.ts'
import type { ReportedGoods } from '../orders/order.ts'
import {
  buildSignedBases,
  type CallbackMember,
  isScalar,
  parseMembers,
  type SignedMessage,
} from './callback-signing.ts'

/** A well-formed callback that is not verified yet. Ids that are absent or empty are null. */
export type MachineCallback = SignedMessage & {
  orderId: string | null
  chargeId: string | null
  machine: string | null
  sentAtMs: number
  /** The latest moment that the timestamp can mean: one in seconds means the whole second. */
  sentByMs: number
  members: readonly CallbackMember[]
  /** The body as it is stored for staff: as received, without the supplier's key. */
  kept: string
  json: Readonly<Record<string, unknown>>
}

/** A machine's report about an order. */
export type CallbackReport =
  | { kind: 'not_finished' }
  | { kind: 'done'; units: number; result: readonly ReportedGoods[] }

/** In bytes; larger ones are answered 413. */
export const MAX_CALLBACK_BYTES = 64 * 1024

const NAME_PATTERN = /^[A-Za-z0-9_]+$/
const SIGN_PATTERN = /^[0-9a-f]{32}$/i
const SECONDS_DIGITS = 10
const TIMESTAMP_PATTERN = /^(?:[0-9]{10}|[0-9]{13})$/
// The fields that decide something. They must not contain characters that would make the signed text ambiguous.
const DECIDING_FIELDS = ['ddbh', 'dsfjybh', 'jqbh', 'status', 'state']
/** The largest difference between the timestamp of a callback and now, either way. */
export const FRESH_MS = 300_000

const DONE_STATUSES = ['1', 'finish', 'finished']
const MAX_UNITS = 9999
const MAX_GOODS_NUMBER_CHARACTERS = 64
const MAX_GOODS_NAME_CHARACTERS = 200

const malformed = (name: string) => new Refusal(400, 'bad_request', `malformed field ${echo(name)}`)
const required = (name: string) => new Refusal(400, 'bad_request', `${name} is required`)

/** Makes the one refusal for every wrong or missing signature; it does not say what was wrong. */
export function invalidSignature(): Refusal {
  count('signature_failures_total', 'supplier')
  return new Refusal(401, 'unauthorized', 'invalid signature')
}

/** Parses a callback (contract.md 6.3 steps 1 and 2). Throws Refusal with the text of 6.4. */
export function parseMachineCallback(body: Buffer): MachineCallback {
  const text = isUtf8(body) ? body.toString('utf8') : ''
  const json = parseObject(text)
  if (json === null) throw new Refusal(400, 'bad_request', 'empty or non-JSON body')
  const members = parseMembers(text)
  checkMembers(members)
  const find = (name: string) => members.find((member) => member.name === name)
  const sign = find('sign')
  if (sign?.kind !== 'string' || !SIGN_PATTERN.test(sign.text)) throw invalidSignature()
  const timestamp = parseTimestamp(find('timestamp'), members)
  return {
    sign: sign.text.toLowerCase(),
    timestamp,
    sentAtMs: toMs(timestamp),
    sentByMs: toMs(timestamp) + (timestamp.length === SECONDS_DIGITS ? 999 : 0),
    bases: buildSignedBases(members),
    orderId: textOrNull(find('ddbh')),
    chargeId: textOrNull(find('dsfjybh')),
    machine: textOrNull(find('jqbh')),
    members,
    kept: maskKey(text, find('key')),
    json: (parseExactJson(text) ?? json) as MachineCallback['json'],
  }
}

function parseObject(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : null
  } catch {
    return null
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function checkMembers(members: readonly CallbackMember[]): void {
  const names = new Set<string>()
  for (const member of members) {
    const { name, text } = member
    // If a name came twice, one value could be signed and the other one read.
    if (!NAME_PATTERN.test(name) || names.has(name) || hasForbiddenControl(text, false)) throw malformed(name)
    if (DECIDING_FIELDS.includes(name) && (!isScalar(member) || /[&=]/.test(text))) throw malformed(name)
    names.add(name)
  }
}

function parseTimestamp(member: CallbackMember | undefined, members: readonly CallbackMember[]): string {
  const text = member?.kind === 'string' || member?.kind === 'number' ? member.text : ''
  if (!TIMESTAMP_PATTERN.test(text)) throw new Refusal(400, 'bad_request', 'timestamp must be 10 or 13 digits')
  // The last three digits of a time in milliseconds, moved into the first name, give the same signed bytes as another message.
  const shifted = text.length === SECONDS_DIGITS && members.find(({ name }) => /^[0-9]{3}/.test(name))
  if (shifted) throw malformed(shifted.name)
  return text
}

/** Parses a timestamp to ms; null if it has neither 10 nor 13 digits. */
export const parseTimestampMs = (timestamp: string): number | null =>
  TIMESTAMP_PATTERN.test(timestamp) ? toMs(timestamp) : null

const toMs = (timestamp: string) => Number(timestamp) * (timestamp.length === SECONDS_DIGITS ? 1000 : 1)

const textOrNull = (member: CallbackMember | undefined) => (member && member.text.trim() !== '' ? member.text : null)

function maskKey(text: string, key: CallbackMember | undefined): string {
  if (key === undefined) return text
  const [from, to] = key.value
  return `${text.slice(0, from)}0${text.slice(to)}`
}

/** Parses the report of a callback whose signature was verified (steps 8 and 9). Throws `X is required`. */
export function parseCallbackReport({
  members,
  machine,
  json,
}: Pick<MachineCallback, 'members' | 'machine' | 'json'>): CallbackReport {
  const status = findStatus(members)
  if (status === null) throw required('status')
  if (machine === null) throw required('jqbh')
  if (!isDone(status)) return { kind: 'not_finished' }
  const result = parseReportedGoods(json.splist)
  if (result === null) throw required('splist')
  return { kind: 'done', units: result.reduce((sum, { chsl }) => sum + chsl, 0), result }
}

/** `status` wins over its other spelling if both are given. */
function findStatus(members: readonly CallbackMember[]): CallbackMember | null {
  const findText = (name: string) =>
    members.find(
      (member) =>
        member.name === name && (member.kind === 'string' || member.kind === 'number') && member.text.trim() !== '',
    )
  return findText('status') ?? findText('state') ?? null
}

const isDone = ({ kind, text }: CallbackMember) =>
  kind === 'number' ? Number(text) === 1 : DONE_STATUSES.includes(text.trim().toLowerCase())

function parseReportedGoods(splist: unknown): ReportedGoods[] | null {
  if (!Array.isArray(splist) || splist.length === 0) return null
  const goods = splist.map(parseReportedProduct)
  return goods.some((good) => good === null) ? null : (goods as ReportedGoods[])
}

/** Null if its units are invalid. Number and name are only shown, so they are cut to what can be. */
function parseReportedProduct(product: unknown): ReportedGoods | null {
  if (!isObject(product)) return null
  const chsl = parseUnits(product.chsl)
  if (chsl === null) return null
  const spmc = printableText(product.spmc, MAX_GOODS_NAME_CHARACTERS)
  return {
    spbh: printableText(product.spbh, MAX_GOODS_NUMBER_CHARACTERS),
    chsl,
    ...(spmc === '' ? {} : { spmc }),
  }
}

function parseUnits(chsl: unknown): number | null {
  const digits = typeof chsl === 'string' && /^[0-9]{1,10}$/.test(chsl.trim())
  const units = digits || chsl instanceof ExactNumber ? Number(chsl) : chsl
  return Number.isInteger(units) && (units as number) >= 0 && (units as number) <= MAX_UNITS ? (units as number) : null
}

function printableText(value: unknown, maxCharacters: number): string {
  if (typeof value !== 'string' && typeof value !== 'number' && !(value instanceof ExactNumber)) return ''
  const text = typeof value === 'string' ? value : formatNumber(value)
  return [...text.replace(/[\p{Cc}\p{Cs}]/gu, '')].slice(0, maxCharacters).join('')
}
