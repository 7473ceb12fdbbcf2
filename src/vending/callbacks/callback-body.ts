import { isUtf8 } from 'node:buffer'
import { ExactNumber, numberText, readExact } from '../../platform/exact-json.ts'
import { count } from '../../platform/measures.ts'
import { Refusal } from '../../platform/refusal.ts'
import { echo, hasForbiddenControl } from '../../platform/text.ts'
import type { ReportedGoods } from '../orders/order.ts'
import { isScalar, type Member, readMembers, type Signed, signedBases } from './callback-signing.ts'

/** A well-formed callback that is not verified yet. Ids that are absent or empty are null. */
export type Callback = Signed & {
  orderId: string | null
  chargeId: string | null
  machine: string | null
  sentAtMs: number
  /** The latest moment that the timestamp can mean: one in seconds means the whole second. */
  sentByMs: number
  members: readonly Member[]
  /** The body as it is stored for staff: as received, without the supplier's key. */
  kept: string
  json: Readonly<Record<string, unknown>>
}

/** A machine's report about an order. */
export type Report =
  | { kind: 'not_finished' }
  | { kind: 'done'; units: number; result: readonly ReportedGoods[] }

/** In bytes; larger ones are answered 413. */
export const CALLBACK_LIMIT = 64 * 1024

const NAME = /^[A-Za-z0-9_]+$/
const SIGN = /^[0-9a-f]{32}$/i
const SECONDS_DIGITS = 10
const TIMESTAMP = /^(?:[0-9]{10}|[0-9]{13})$/
// The fields that decide something. They must not contain characters that would make the signed text ambiguous.
const DECIDING = ['ddbh', 'dsfjybh', 'jqbh', 'status', 'state']
/** The largest difference between the timestamp of a callback and now, either way. */
export const FRESH_MS = 300_000

const DONE = ['1', 'finish', 'finished']
const MOST_UNITS = 9999
const LONGEST_GOODS_NUMBER = 64
const LONGEST_GOODS_NAME = 200

const malformed = (name: string) => new Refusal(400, 'bad_request', `malformed field ${echo(name)}`)
const required = (name: string) => new Refusal(400, 'bad_request', `${name} is required`)

/** Makes the one refusal for every wrong or missing signature; it does not say what was wrong. */
export function invalidSignature(): Refusal {
  count('signature_failures_total', 'supplier')
  return new Refusal(401, 'unauthorized', 'invalid signature')
}

/** Parses a callback (contract.md 6.3 steps 1 and 2). Throws Refusal with the text of 6.4. */
export function readCallback(body: Buffer): Callback {
  const text = isUtf8(body) ? body.toString('utf8') : ''
  const json = parseObject(text)
  if (json === null) throw new Refusal(400, 'bad_request', 'empty or non-JSON body')
  const members = readMembers(text)
  checkForm(members)
  const find = (name: string) => members.find((member) => member.name === name)
  const sign = find('sign')
  if (sign?.kind !== 'string' || !SIGN.test(sign.text)) throw invalidSignature()
  const timestamp = readTimestamp(find('timestamp'), members)
  return {
    sign: sign.text.toLowerCase(),
    timestamp,
    sentAtMs: timeOf(timestamp),
    sentByMs: timeOf(timestamp) + (timestamp.length === SECONDS_DIGITS ? 999 : 0),
    bases: signedBases(members),
    orderId: given(find('ddbh')),
    chargeId: given(find('dsfjybh')),
    machine: given(find('jqbh')),
    members,
    kept: withoutKey(text, find('key')),
    json: (readExact(text) ?? json) as Callback['json'],
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

function checkForm(members: readonly Member[]): void {
  const names = new Set<string>()
  for (const member of members) {
    const { name, text } = member
    // If a name came twice, one value could be signed and the other one read.
    if (!NAME.test(name) || names.has(name) || hasForbiddenControl(text, false)) throw malformed(name)
    if (DECIDING.includes(name) && (!isScalar(member) || /[&=]/.test(text))) throw malformed(name)
    names.add(name)
  }
}

function readTimestamp(member: Member | undefined, members: readonly Member[]): string {
  const text = member?.kind === 'string' || member?.kind === 'number' ? member.text : ''
  if (!TIMESTAMP.test(text)) throw new Refusal(400, 'bad_request', 'timestamp must be 10 or 13 digits')
  // The last three digits of a time in milliseconds, moved into the first name, give the same signed bytes as another message.
  const shifted = text.length === SECONDS_DIGITS && members.find(({ name }) => /^[0-9]{3}/.test(name))
  if (shifted) throw malformed(shifted.name)
  return text
}

/** Parses a timestamp to ms; null if it has neither 10 nor 13 digits. */
export const readTime = (timestamp: string): number | null =>
  TIMESTAMP.test(timestamp) ? timeOf(timestamp) : null

const timeOf = (timestamp: string) => Number(timestamp) * (timestamp.length === SECONDS_DIGITS ? 1000 : 1)

const given = (member: Member | undefined) => (member && member.text.trim() !== '' ? member.text : null)

function withoutKey(text: string, key: Member | undefined): string {
  if (key === undefined) return text
  const [from, to] = key.value
  return `${text.slice(0, from)}0${text.slice(to)}`
}

/** Parses the report of a callback whose signature was verified (steps 8 and 9). Throws `X is required`. */
export function readReport({
  members,
  machine,
  json,
}: Pick<Callback, 'members' | 'machine' | 'json'>): Report {
  const status = statusOf(members)
  if (status === null) throw required('status')
  if (machine === null) throw required('jqbh')
  if (!isDone(status)) return { kind: 'not_finished' }
  const result = readGoods(json.splist)
  if (result === null) throw required('splist')
  return { kind: 'done', units: result.reduce((sum, { chsl }) => sum + chsl, 0), result }
}

/** `status` wins over its other spelling if both are given. */
function statusOf(members: readonly Member[]): Member | null {
  const findText = (name: string) =>
    members.find(
      (member) =>
        member.name === name &&
        (member.kind === 'string' || member.kind === 'number') &&
        member.text.trim() !== '',
    )
  return findText('status') ?? findText('state') ?? null
}

const isDone = ({ kind, text }: Member) =>
  kind === 'number' ? Number(text) === 1 : DONE.includes(text.trim().toLowerCase())

function readGoods(splist: unknown): ReportedGoods[] | null {
  if (!Array.isArray(splist) || splist.length === 0) return null
  const goods = splist.map(readProduct)
  return goods.some((good) => good === null) ? null : (goods as ReportedGoods[])
}

/** Null if its units are invalid. Number and name are only shown, so they are cut to what can be. */
function readProduct(product: unknown): ReportedGoods | null {
  if (!isObject(product)) return null
  const chsl = readUnits(product.chsl)
  if (chsl === null) return null
  const spmc = shown(product.spmc, LONGEST_GOODS_NAME)
  return {
    spbh: shown(product.spbh, LONGEST_GOODS_NUMBER),
    chsl,
    ...(spmc === '' ? {} : { spmc }),
  }
}

function readUnits(chsl: unknown): number | null {
  const digits = typeof chsl === 'string' && /^[0-9]{1,10}$/.test(chsl.trim())
  const units = digits || chsl instanceof ExactNumber ? Number(chsl) : chsl
  return Number.isInteger(units) && (units as number) >= 0 && (units as number) <= MOST_UNITS
    ? (units as number)
    : null
}

function shown(value: unknown, maxCharacters: number): string {
  if (typeof value !== 'string' && typeof value !== 'number' && !(value instanceof ExactNumber)) return ''
  const text = typeof value === 'string' ? value : numberText(value)
  return [...text.replace(/[\p{Cc}\p{Cs}]/gu, '')].slice(0, maxCharacters).join('')
}
