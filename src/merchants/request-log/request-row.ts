import { randomInt } from 'node:crypto'
import { maskSecrets } from '../../api/access/mask.ts'
import type { AnsweredRequest } from '../../api/http/frame.ts'
import type { Mode } from '../../platform/mode.ts'
import { maskPhone } from '../../platform/text/phone.ts'

/** A row of `request_log`. */
export type RequestRow = Omit<AnsweredRequest, 'caller'> & {
  merchantId: number
  mode: Mode
  id: bigint
  requestId: string
  keyLast4: string
}

// The low bits of an id keep requests of the same millisecond apart, also between processes.
const CHANCE_BITS = 22n
const CHANCE_VALUES = 2 ** 22
// The largest time that fits into the other 41 of 63 bits, in the year 2039.
const LATEST_MS = 2 ** 41 - 1
const ERROR_CHARACTERS = 500
const PHONE = /(?<!\d)(?:\+?256|0)?[ -]?7\d{2}[ -]?\d{3}[ -]?\d{3}(?!\d)/g

/** Returns the first id of this instant (ms); ids ascend with time. */
export const firstIdAt = (ms: number): bigint => BigInt(Math.min(Math.max(0, Math.floor(ms)), LATEST_MS)) << CHANCE_BITS

/** When the request with this id was answered. */
export const timeOfId = (id: bigint): Date => new Date(Number(id >> CHANCE_BITS))

/** Makes the row of a request that was answered now. */
export function newRequestRow(noted: AnsweredRequest, nowMs: number): RequestRow {
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
    error: error === null ? null : maskError(error),
    keyLast4: caller.keyLast4,
    objectId: noted.objectId,
    ignored: noted.ignored,
  }
}

// Each process starts at a random value, so that two that answer in the same millisecond rarely draw the same id.
let chance = randomInt(CHANCE_VALUES)
function nextChance(): number {
  chance = (chance + 1) % CHANCE_VALUES
  return chance
}

/** Masks phones, keys and secrets in the text of a refusal, which may repeat the request, and cuts it. */
const maskError = (error: string): string =>
  String(maskSecrets(error))
    .replace(PHONE, (phone) => maskPhone(phone.replace(/\D/g, '')))
    .slice(0, ERROR_CHARACTERS)
