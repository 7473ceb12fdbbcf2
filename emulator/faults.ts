import type { Product } from './book.ts'
import type { Endpoint, Rule, Told, Treatment } from './rules.ts'

/** Faults of the connection, the token and the account, which are no rules about one payment. */
const TROUBLES = [
  'refuse',
  'connectTimeout',
  'unauthorizedOnce',
  'unauthorizedAlways',
  'tokenExpired',
  'tokenRevoked',
  'tokenDown',
  'slowToken',
  'statusCap',
  'floatEmpty',
  'walletInactive',
  'kycDenied',
  'platformMoved',
  'restart',
] as const
export type Trouble = (typeof TROUBLES)[number]
export const isTrouble = (fault: string): fault is Trouble => TROUBLES.some((trouble) => trouble === fault)

export type FaultParams = {
  /** Which requests it is about, where a fault is not about payments alone. */
  endpoint?: Endpoint
  product?: Product
  ms?: number
  record?: boolean
  /** With `http500`: the movement is taken, and has failed by its first question. */
  fails?: boolean
  status?: number | string
  code?: string
  seconds?: number
  retryAfter?: number
  where?: 'headers' | 'body'
  times?: number
  gapMs?: number
  hours?: number
  minutes?: number
  amount?: string
  field?: 'amount' | 'currency' | 'party' | 'externalId'
  first?: 'SUCCESSFUL' | 'FAILED'
  bytesPerSecond?: number
  word?: string
  phone?: string
}

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const LIES = { amount: '1', currency: 'USD', party: '256700999999', externalId: 'txn_other' } as const

const http = (status: number, more: { code?: string; body?: string; headers?: Record<string, string> } = {}) => ({
  http: { status, ...more },
})
const PENDING: Told = { status: 'PENDING' }
const flap: readonly Told[] = [PENDING, { http: { status: 404, code: 'RESOURCE_NOT_FOUND' } }, PENDING, {}]

/** The same treatment for payments, or for another kind of request. */
const at = ({ endpoint = 'submit' }: FaultParams, treatment: Treatment): Rule =>
  endpoint === 'submit' ? { onSubmit: treatment } : { on: { [endpoint]: treatment } }

/** What each fault of rails.md 6.5 makes of a payment. */
export const RULE_FAULTS = {
  slow: ({ ms = 20 * SECOND, ...params }: FaultParams): Rule => at(params, { delayMs: ms }),
  dropBeforeRead: (params: FaultParams): Rule => at(params, { wire: 'dropBeforeRead', record: false }),
  dropAfterRead: (params: FaultParams): Rule => at(params, { wire: 'dropAfterRead', record: false }),
  dropAfterAccept: (): Rule => ({ onSubmit: { wire: 'dropAfterAccept', record: true } }),
  silence: ({ record = true, ...params }: FaultParams): Rule => at(params, { wire: 'silence', record }),
  http: ({ status = 503, code, record = false, ...params }: FaultParams): Rule =>
    at(params, { ...http(Number(status), code === undefined ? {} : { code }), record }),
  http500: ({ code = 'NOT_ALLOWED', fails = false, record = fails }: FaultParams): Rule => ({
    onSubmit: { ...http(500, { code }), record },
    ...(fails ? { resolve: { status: 'FAILED', reason: code } } : {}),
  }),
  htmlWith200: ({ record = false, ...params }: FaultParams): Rule => at(params, { wire: 'htmlWith200', record }),
  garbage: ({ record = false, ...params }: FaultParams): Rule => at(params, { wire: 'garbage', record }),
  truncate: ({ where = 'headers', record = false, ...params }: FaultParams): Rule =>
    at(params, { wire: where === 'headers' ? 'truncateHeaders' : 'truncateBody', record }),
  http400: ({ code }: FaultParams): Rule => ({
    onSubmit: { ...http(400, code === undefined ? { body: '' } : { code }), record: false },
  }),
  forbiddenIp: (): Rule => ({ onSubmit: { ...http(403, { code: 'FORBIDDEN IP' }), record: false } }),
  quota: ({ seconds = 90 }: FaultParams): Rule => ({
    onSubmit: {
      ...http(403, {
        body: JSON.stringify({
          statusCode: 403,
          message: `Out of call volume quota. Quota will be replenished in ${clockText(seconds)}.`,
        }),
      }),
      record: false,
    },
  }),
  tooMany: ({ retryAfter }: FaultParams): Rule => ({
    onSubmit: {
      ...http(429, retryAfter === undefined ? {} : { headers: { 'retry-after': String(retryAfter) } }),
      record: false,
    },
  }),
  conflictOnFirst: (): Rule => ({
    onSubmit: { ...http(409, { code: 'RESOURCE_ALREADY_EXIST' }), record: true },
  }),
  noCallback: (): Rule => ({ callbacks: [] }),
  lateCallback: ({ hours = 2 }: FaultParams): Rule => ({ callbacks: [{ afterMs: hours * HOUR, times: 1 }] }),
  duplicateCallback: ({ times = 3, gapMs = 0 }: FaultParams): Rule => ({ callbacks: [{ times, gapMs }] }),
  callbackBeforeAnswer: (): Rule => ({
    onSubmit: { delayMs: 50 },
    callbacks: [{ early: true, times: 1, status: 'SUCCESSFUL' }, { times: 1 }],
  }),
  putCallback: (): Rule => ({ callbacks: [{ times: 1, method: 'PUT' }] }),
  strangerCallback: (): Rule => ({ callbacks: [{ times: 1, stranger: true }, { times: 1 }] }),
  lyingCallback: ({ status = 'SUCCESSFUL', amount }: FaultParams): Rule => ({
    callbacks: [{ times: 1, status: String(status), ...(amount === undefined ? {} : { amount }) }],
  }),
  statusLag: ({ ms = 30 * SECOND }: FaultParams): Rule => ({ statusLagMs: ms }),
  flap: (): Rule => ({ onStatus: flap }),
  contradiction: (): Rule => ({ onStatus: [{ status: 'SUCCESSFUL', reason: 'NOT_ENOUGH_FUNDS' }] }),
  mismatch: ({ field = 'amount' }: FaultParams): Rule => ({ onStatus: [{ lies: { [field]: LIES[field] } }] }),
  neverResolves: (): Rule => ({ resolve: 'never', callbacks: [] }),
  lateSuccess: ({ minutes = 6 }: FaultParams): Rule => ({
    resolve: { afterMs: minutes * MINUTE, status: 'SUCCESSFUL' },
    callbacks: [],
  }),
  reversal: ({ first = 'FAILED', ms = 10 * MINUTE }: FaultParams): Rule => ({
    reversal: { first, afterMs: ms },
  }),
  executeTwice: (): Rule => ({ executeTwice: true }),
  reasonAsObject: (): Rule => ({ reasonAsObject: true }),
  numbersAsText: (): Rule => ({ numbers: false }),
  numbersAsNumbers: (): Rule => ({ numbers: true }),
  unknownWord: ({ word = 'UNDER_REVIEW' }: FaultParams): Rule => ({ onStatus: [{ status: word }] }),
  hugeBody: ({ record = true, ...params }: FaultParams): Rule => at(params, { wire: 'hugeBody', record }),
  hugeHeaders: ({ record = true, ...params }: FaultParams): Rule => at(params, { wire: 'hugeHeaders', record }),
  redirect: ({ record = false, ...params }: FaultParams): Rule => at(params, { wire: 'redirect', record }),
  slowBody: ({ bytesPerSecond = 1, record = true, ...params }: FaultParams): Rule =>
    at(params, { wire: 'slowBody', bytesPerSecond, record }),
  resetAfterRead: ({ record = true }: FaultParams): Rule => ({
    onSubmit: { wire: 'resetAfterRead', record },
  }),
} satisfies Record<string, (params: FaultParams) => Rule>

export type RuleFault = keyof typeof RULE_FAULTS
export type FaultName = RuleFault | Trouble
export const FAULT_NAMES: readonly string[] = [...Object.keys(RULE_FAULTS), ...TROUBLES]

function clockText(seconds: number): string {
  const two = (value: number) => String(value).padStart(2, '0')
  const hours = Math.floor(seconds / 3600) % 24
  return `${Math.floor(seconds / 86_400)}.${two(hours)}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`
}
