import { createHash } from 'node:crypto'
import { assertOutsideTransaction } from '../../../platform/db/open-transaction.ts'
import { count } from '../../../platform/log/measures.ts'
import type { PostAttempt } from '../../../platform/outbound/attempt.ts'
import { ExactNumber, formatNumber, parseExactJson, writeExactJson } from '../../../platform/text/exact-json.ts'
import type { App } from '../../../program/app.ts'
import { productNumber } from '../orders/goods.ts'
import type { Goods } from '../orders/order.ts'
import type { CommandReply, Supplier } from './supplier.ts'
import type { SupplierAccess } from './vending-settings.ts'

type ReplyRow = Readonly<Record<string, unknown>>
/** The rows of an answer, or null if there is no clear answer. */
type SupplierRows = readonly ReplyRow[] | null

/** A merchant's own supplier over HTTP. Questions have no effect, and return null if the answer is unclear. */
export type HttpSupplier = Supplier & {
  /** Reads every machine that the supplier has for this merchant. */
  machines(): Promise<SupplierRows>
  /** Whether a machine is online. */
  online(machine: string): Promise<boolean | null>
  /** Reads what is in a machine, a row for each slot. */
  tray(machine: string): Promise<SupplierRows>
}

const ACCEPTED_CODE = '1'
const MAX_CODE_CHARACTERS = 40
// Errors before anything was sent: the machine cannot have got the command.
const ERRORS_BEFORE_SENDING: readonly string[] = ['dns', 'connect', 'tls', 'late']
const ONLINE_VALUES: readonly unknown[] = [1, '1', true, 'true', 'online']
const OFFLINE_VALUES: readonly unknown[] = [0, '0', false, 'false', 'offline']

/** Makes the client of the supplier of `access` (contract.md 6): JSON POST, no redirect, nothing is ever repeated. */
export function newHttpSupplier(app: App, access: SupplierAccess): HttpSupplier {
  const { config } = app
  const { shbh } = access
  const post = (path: string, body: object, isLate?: () => boolean) =>
    postJson(app, `${access.baseUrl}${path}`, { body, isLate })
  const ask = async (path: string, body: object) => parseRows(await post(path, body))
  return {
    async dispense(command, isLate) {
      const body = commandBody(command, { access, timestamp: app.clock.nowMs() })
      const answer = judgeReply(await post(config.supplierPathDispense, body, isLate))
      return { ...answer, message: maskSecrets(answer.message, access) }
    },
    machines: () => ask(config.supplierPathMachines, { shbh }),
    tray: (machine) => ask(config.supplierPathGoods, { shbh, jqbh: machine }),
    async online(machine) {
      const rows = await ask(config.supplierPathState, { shbh, jqbh: machine })
      return rows === null ? null : parseOnline(rows[0] ?? {})
    },
  }
}

/** Makes the exact body of a command (contract.md 6.1). */
function commandBody(
  command: Parameters<Supplier['dispense']>[0],
  { access, timestamp }: { access: SupplierAccess; timestamp: number },
) {
  const zfzh = command.payerPhone || command.payAccount || access.shbh
  const order = { zfzh, qhm: '', dsfjybh: command.chargeId, ddbh: command.orderId, jqbh: command.machine }
  const consumeType = 'hiTrade'
  return {
    orderDTO: {
      payType: '2',
      orderGoodsDetailList: command.goods.map(formatGoods),
      order: { spsl: String(command.goods.length), ...order },
    },
    consumeType,
    key: access.key,
    timestamp,
    sign: signCommand({ consumeType, ...order }, { secret: access.secret, timestamp }),
  }
}

function formatGoods(goods: Goods) {
  const { spbh, spdj } = goods
  const price = typeof spdj === 'number' || spdj instanceof ExactNumber ? { spdj: formatNumber(spdj) } : {}
  return { ...goods, spbh: productNumber(spbh), ...price }
}

async function postJson(
  app: App,
  url: string,
  { body, isLate }: { body: object; isLate: (() => boolean) | undefined },
): Promise<PostAttempt> {
  assertOutsideTransaction('a machine supplier')
  const attempted = await app.supplierPoster.post({
    url,
    body: Buffer.from(writeExactJson(body)),
    headers: { 'content-type': 'application/json', accept: 'application/json', 'user-agent': 'gateway' },
    keepAlive: false,
    ...(isLate === undefined ? {} : { isLate }),
  })
  count('supplier_requests_total', attempted.kind)
  return attempted
}

/** Judges the answer to a command by the table of contract.md 6.2. In doubt it is ambiguous, never refused. */
function judgeReply(attempted: PostAttempt): CommandReply {
  if (attempted.kind === 'refused_target')
    return { kind: 'refused', code: null, message: `its address is refused: ${attempted.why}` }
  if (attempted.kind === 'failed') {
    const { error } = attempted
    if (ERRORS_BEFORE_SENDING.includes(error))
      return { kind: 'refused', code: null, message: `not reachable: ${error}` }
    return { kind: 'ambiguous', message: error }
  }
  const { status } = attempted
  const reply = parseReply(attempted.body ?? null)
  if (status >= 400 && status < 500 && reply?.code !== ACCEPTED_CODE)
    return { kind: 'refused', code: reply?.code ?? null, message: reply?.message || `HTTP ${status}` }
  if (status < 200 || status > 299) return { kind: 'ambiguous', message: `HTTP ${status}` }
  if (reply === null || reply.code === null) return { kind: 'ambiguous', message: 'the answer could not be read' }
  const { code, message } = reply
  if (code === ACCEPTED_CODE) return { kind: 'accepted', code, message }
  return { kind: 'refused', code, message: message || `code ${code}` }
}

/** Removes secrets, because a supplier may repeat what it was sent and the merchant's staff read this text. */
const maskSecrets = (text: string, { key, secret }: SupplierAccess) =>
  text.replaceAll(key, '***').replaceAll(secret, '***')

type SupplierReply = { code: string | null; message: string; data: unknown }

/** Parses an answer, whose `code` may be a string or a number. Null if it is not a JSON object or was not received completely. */
function parseReply(body: Buffer | null): SupplierReply | null {
  if (body === null) return null
  const value = parseExact(body)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null
  const { code, message, msg, data } = value as ReplyRow
  const words = message ?? msg
  return { code: parseCode(code), message: typeof words === 'string' ? stripControls(words) : '', data }
}

/** Parses JSON and keeps numbers as the supplier wrote them, because merchants order by them. */
function parseExact(body: Buffer): unknown {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(body)
    const plain: unknown = JSON.parse(text)
    return parseExactJson(text) ?? plain
  } catch {
    return null
  }
}

function parseCode(value: unknown): string | null {
  if (typeof value === 'number' || value instanceof ExactNumber)
    return formatNumber(value).slice(0, MAX_CODE_CHARACTERS)
  const text = typeof value === 'string' ? stripControls(value).slice(0, MAX_CODE_CHARACTERS) : ''
  return text === '' ? null : text
}

/** Removes control characters: they must not reach a log, and a NUL not the database. */
const stripControls = (text: string) => text.replace(/\p{Cc}+/gu, ' ').trim()

/** Parses the rows of an answer. `data` may be a list or one bare object. An empty list counts only if the supplier reports success. */
function parseRows(attempted: PostAttempt): SupplierRows {
  if (attempted.kind !== 'answered' || attempted.status < 200 || attempted.status > 299) return null
  const reply = parseReply(attempted.body ?? null)
  if (reply === null) return null
  const data: unknown[] = Array.isArray(reply.data) ? reply.data : [reply.data]
  const rows = data.filter(
    (row): row is ReplyRow =>
      typeof row === 'object' && row !== null && !Array.isArray(row) && !(row instanceof ExactNumber),
  )
  if (rows.length > 0) return rows
  return Array.isArray(reply.data) && reply.data.length === 0 && reply.code === ACCEPTED_CODE ? [] : null
}

/** Parses the online flag, whose name differs between suppliers; null unless its value clearly means on or off. */
function parseOnline(row: ReplyRow): boolean | null {
  const flag = row.online ?? row.isOnline ?? row.zxzt ?? row.state ?? row.status
  if (ONLINE_VALUES.includes(flag)) return true
  return OFFLINE_VALUES.includes(flag) ? false : null
}

type Scalar = string | number | boolean | null

// The fields that a supplier's signature covers; the rest of the command is not signed (contract.md 6.2).
const SIGNED_NAMES = ['consumeType', 'ddbh', 'dsfjybh', 'jqbh', 'qhm', 'zfzh'] as const

/** The fields of a command that its signature covers. */
export type SignedFields = Readonly<Record<(typeof SIGNED_NAMES)[number], Scalar>>

/** Joins `k=v` with `&`, alphabetically. Empty values stay, null is empty, booleans are 1 and 0. */
export const signedBase = (fields: SignedFields): string =>
  SIGNED_NAMES.map((name) => `${name}=${formatScalar(fields[name])}`).join('&')

/** Computes the lowercase hex MD5 of secret, time (13 digits) and base. The suppliers of machines prescribe MD5. */
export function signCommand(
  fields: SignedFields,
  { secret, timestamp }: { secret: string; timestamp: number | string },
): string {
  return createHash('md5')
    .update(`${secret}${timestamp}${signedBase(fields)}`, 'utf8')
    .digest('hex')
}

function formatScalar(value: Scalar): string {
  if (value === null) return ''
  return typeof value === 'boolean' ? (value ? '1' : '0') : String(value)
}
