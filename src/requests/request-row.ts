import { randomInt } from 'node:crypto'
import { masked } from '../actors/mask.ts'
import type { NotedRequest } from '../http/frame.ts'
import type { Mode } from '../platform/mode.ts'
import { maskPhone } from '../platform/phone.ts'

/** A row of the log, as it is written. */
export type RequestRow = Omit<NotedRequest, 'caller'> & {
  merchantId: number
  mode: Mode
  id: bigint
  requestId: string
  keyLast4: string
}

// The low bits of an id tell requests of one millisecond apart, of several processes too.
const CHANCE_BITS = 22n
const MOST_CHANCE = 2 ** 22
// What is left of 63 bits, in the year 2039.
const LATEST_MS = 2 ** 41 - 1
const ERROR_CHARACTERS = 500
const PHONE = /(?<!\d)(?:\+?256|0)?[ -]?7\d{2}[ -]?\d{3}[ -]?\d{3}(?!\d)/g

/** The first id of this instant: ids lie in the order of time. */
export const firstIdAt = (ms: number): bigint =>
  BigInt(Math.min(Math.max(0, Math.floor(ms)), LATEST_MS)) << CHANCE_BITS

/** When the request with this id was answered. */
export const timeOfId = (id: bigint): Date => new Date(Number(id >> CHANCE_BITS))

/** The row of a request that was answered now. */
export function rowOf(noted: NotedRequest, nowMs: number): RequestRow {
  const { caller, error } = noted
  return {
    merchantId: caller.merchantId,
    mode: caller.mode,
    id: firstIdAt(nowMs) | BigInt(nextChance()),
    requestId: caller.requestId ?? '',
    method: noted.method,
    route: noted.route,
    status: noted.status,
    code: noted.code,
    ms: Math.round(noted.ms * 10) / 10,
    keyOutcome: noted.keyOutcome,
    error: error === null ? null : textOf(error),
    keyLast4: caller.keyLast4,
    objectId: noted.objectId,
  }
}

// Every process begins elsewhere, so that two that answer in one millisecond do not meet.
let chance = randomInt(MOST_CHANCE)
function nextChance(): number {
  chance = (chance + 1) % MOST_CHANCE
  return chance
}

/** The text of a refusal repeats what was sent: without phones, keys and secrets, and cut. */
const textOf = (error: string): string =>
  String(masked(error))
    .replace(PHONE, (phone) => maskPhone(phone.replace(/\D/g, '')))
    .slice(0, ERROR_CHARACTERS)
