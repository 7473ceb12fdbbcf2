import type { Rule, Told } from './rules.ts'

/** Faults of the connection, the token and the account, which are no rules about one payment. */
export const GENERAL_FAULTS = [
  ...['refuse', 'connectTimeout', 'unauthorizedOnce', 'unauthorizedAlways', 'tokenExpired', 'tokenRevoked'],
  ...[
    'tokenDown',
    'floatEmpty',
    'walletInactive',
    'kycDenied',
    'platformMoved',
    'restart',
    'statusCap',
    'slowToken',
  ],
] as const
export type GeneralFault = (typeof GENERAL_FAULTS)[number]

type Params = {
  ms?: number
  record?: boolean
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

const http = (
  status: number,
  more: { code?: string; body?: string; headers?: Record<string, string> } = {},
) => ({
  http: { status, ...more },
})
const flap: readonly Told[] = [{}, { http: { status: 404, code: 'RESOURCE_NOT_FOUND' } }, {}]

/** What each fault of rails.md 6.5 makes of a payment. */
export const RULE_FAULTS = {
  slow: ({ ms = 20 * SECOND }: Params): Rule => ({ onSubmit: { delayMs: ms } }),
  dropBeforeRead: (): Rule => ({ onSubmit: { wire: 'dropBeforeRead', record: false } }),
  dropAfterRead: (): Rule => ({ onSubmit: { wire: 'dropAfterRead', record: false } }),
  dropAfterAccept: (): Rule => ({ onSubmit: { wire: 'dropAfterAccept', record: true } }),
  silence: ({ record = true }: Params): Rule => ({ onSubmit: { wire: 'silence', record } }),
  http: ({ status = 503, code, record = false }: Params): Rule => ({
    onSubmit: { ...http(Number(status), code === undefined ? {} : { code }), record },
  }),
  http500: ({ code = 'NOT_ALLOWED', record = false }: Params): Rule => ({
    onSubmit: { ...http(500, { code }), record },
  }),
  htmlWith200: ({ record = false }: Params): Rule => ({ onSubmit: { wire: 'htmlWith200', record } }),
  garbage: ({ record = false }: Params): Rule => ({ onSubmit: { wire: 'garbage', record } }),
  truncate: ({ where = 'headers', record = false }: Params): Rule => ({
    onSubmit: { wire: where === 'headers' ? 'truncateHeaders' : 'truncateBody', record },
  }),
  http400: ({ code }: Params): Rule => ({
    onSubmit: { ...http(400, code === undefined ? { body: '' } : { code }), record: false },
  }),
  forbiddenIp: (): Rule => ({ onSubmit: { ...http(403, { code: 'FORBIDDEN IP' }), record: false } }),
  quota: ({ seconds = 90 }: Params): Rule => ({
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
  tooMany: ({ retryAfter }: Params): Rule => ({
    onSubmit: {
      ...http(429, retryAfter === undefined ? {} : { headers: { 'retry-after': String(retryAfter) } }),
      record: false,
    },
  }),
  conflictOnFirst: (): Rule => ({
    onSubmit: { ...http(409, { code: 'RESOURCE_ALREADY_EXIST' }), record: true },
  }),
  noCallback: (): Rule => ({ callbacks: [] }),
  lateCallback: ({ hours = 2 }: Params): Rule => ({ callbacks: [{ afterMs: hours * HOUR, times: 1 }] }),
  duplicateCallback: ({ times = 3, gapMs = 0 }: Params): Rule => ({ callbacks: [{ times, gapMs }] }),
  callbackBeforeAnswer: (): Rule => ({
    onSubmit: { delayMs: 50 },
    callbacks: [{ early: true, times: 1, status: 'SUCCESSFUL' }, { times: 1 }],
  }),
  putCallback: (): Rule => ({ callbacks: [{ times: 1, method: 'PUT' }] }),
  strangerCallback: (): Rule => ({ callbacks: [{ times: 1, stranger: true }, { times: 1 }] }),
  lyingCallback: ({ status = 'SUCCESSFUL', amount }: Params): Rule => ({
    callbacks: [{ times: 1, status: String(status), ...(amount === undefined ? {} : { amount }) }],
  }),
  statusLag: ({ ms = 30 * SECOND }: Params): Rule => ({ statusLagMs: ms }),
  flap: (): Rule => ({ onStatus: flap }),
  contradiction: (): Rule => ({ onStatus: [{ status: 'SUCCESSFUL', reason: 'NOT_ENOUGH_FUNDS' }] }),
  mismatch: ({ field = 'amount' }: Params): Rule => ({ onStatus: [{ lies: { [field]: LIES[field] } }] }),
  neverResolves: (): Rule => ({ resolve: 'never', callbacks: [] }),
  lateSuccess: ({ minutes = 6 }: Params): Rule => ({
    resolve: { afterMs: minutes * MINUTE, status: 'SUCCESSFUL' },
    callbacks: [],
  }),
  reversal: ({ first = 'FAILED', ms = 10 * MINUTE }: Params): Rule => ({ reversal: { first, afterMs: ms } }),
  executeTwice: (): Rule => ({ executeTwice: true }),
  reasonAsObject: (): Rule => ({ reasonAsObject: true }),
  numbersAsText: (): Rule => ({ numbers: false }),
  numbersAsNumbers: (): Rule => ({ numbers: true }),
  unknownWord: ({ word = 'UNDER_REVIEW' }: Params): Rule => ({ onStatus: [{ status: word }] }),
  hugeBody: ({ record = true }: Params): Rule => ({ onSubmit: { wire: 'hugeBody', record } }),
  hugeHeaders: ({ record = true }: Params): Rule => ({ onSubmit: { wire: 'hugeHeaders', record } }),
  redirect: ({ record = false }: Params): Rule => ({ onSubmit: { wire: 'redirect', record } }),
  slowBody: ({ bytesPerSecond = 1, record = true }: Params): Rule => ({
    onSubmit: { wire: 'slowBody', bytesPerSecond, record },
  }),
  resetAfterRead: ({ record = true }: Params): Rule => ({ onSubmit: { wire: 'resetAfterRead', record } }),
} satisfies Record<string, (params: Params) => Rule>

export type RuleFault = keyof typeof RULE_FAULTS
export type FaultName = RuleFault | GeneralFault
export type { Params as FaultParams }

/** Faults by the last two digits of a phone in profile mtnuganda: those that are about one payment. */
export const FAULT_OF_PHONE: Record<string, RuleFault> = {
  '01': 'slow',
  '04': 'dropBeforeRead',
  '05': 'dropAfterRead',
  '06': 'dropAfterAccept',
  '07': 'http',
  '08': 'http500',
  '09': 'htmlWith200',
  '10': 'garbage',
  '11': 'truncate',
  '12': 'http400',
  '15': 'forbiddenIp',
  '16': 'quota',
  '17': 'tooMany',
  '18': 'conflictOnFirst',
  '22': 'noCallback',
  '23': 'lateCallback',
  '24': 'duplicateCallback',
  '25': 'callbackBeforeAnswer',
  '26': 'putCallback',
  '27': 'strangerCallback',
  '28': 'lyingCallback',
  '29': 'statusLag',
  '30': 'flap',
  '31': 'contradiction',
  '32': 'mismatch',
  '33': 'neverResolves',
  '34': 'lateSuccess',
  '35': 'reversal',
  '42': 'executeTwice',
  '43': 'reasonAsObject',
  '44': 'numbersAsText',
  '45': 'unknownWord',
  '46': 'hugeBody',
  '47': 'redirect',
  '48': 'slowBody',
}

function clockText(seconds: number): string {
  const two = (value: number) => String(value).padStart(2, '0')
  const hours = Math.floor(seconds / 3600) % 24
  return `${Math.floor(seconds / 86_400)}.${two(hours)}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`
}
