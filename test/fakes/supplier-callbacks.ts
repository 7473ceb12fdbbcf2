import { createHash } from 'node:crypto'

/** A machine's report about one command, and how the supplier sends it. */
export type Report = {
  /** The sender's time in ms. */
  at: number
  secret: string
  machine: string
  /** If left out, the receiver has to find the order by the machine. */
  orderId?: string
  chargeId?: string
  goods: readonly { spbh: string | number; spmc?: string }[]
}
export type CallbackKind =
  | 'done'
  | 'jam'
  | 'not finished'
  | 'partial'
  | 'late'
  | 'stale'
  | 'ahead'
  | 'wrong sign'
  | 'changed splist'
  | 'aliases'
  | 'aliases signed as mapped'
  | 'ten digits'
  | 'number time'
  | 'numbers'
  | 'without ids'
export type Callback = Record<string, unknown>

export const CALLBACK_KINDS: readonly CallbackKind[] = [
  'done',
  'jam',
  'not finished',
  'partial',
  'late',
  'stale',
  'ahead',
  'wrong sign',
  'changed splist',
  'aliases',
  'aliases signed as mapped',
  'ten digits',
  'number time',
  'numbers',
  'without ids',
]

const MINUTE = 60_000
const UNSIGNED = ['sign', 'key', 'timestamp', 'splist']

/** The base of the supplier's signature: every top-level scalar but four, sorted by name. Written independently of the product. */
export function callbackBase(body: Callback): string {
  const text = (value: unknown) => (value === null ? '' : typeof value === 'boolean' ? Number(value) : value)
  return Object.keys(body)
    .filter((name) => !UNSIGNED.includes(name) && (body[name] === null || typeof body[name] !== 'object'))
    .sort()
    .map((name) => `${name}=${text(body[name])}`)
    .join('&')
}

export const md5 = (text: string) => createHash('md5').update(text).digest('hex')

/** The body with its signature, which is computed over `signedAs` where that differs. */
export const signed = (body: Callback, secret: string, signedAs: Callback = body): Callback => ({
  ...body,
  sign: md5(`${secret}${body.timestamp}${callbackBase(signedAs)}`),
})

/** The body of one callback, as a supplier of this kind would post it. */
export function callbackOf(kind: CallbackKind, report: Report): Callback {
  const { secret } = report
  const plain = plainBody(report)
  const units = (chsl: (index: number) => number | string) => splistOf(report, chsl)
  switch (kind) {
    case 'done':
      return signed(plain, secret)
    case 'jam':
      return signed({ ...plain, splist: units(() => 0) }, secret)
    case 'partial':
      return signed({ ...plain, splist: units((index) => (index === 0 ? 1 : 0)) }, secret)
    case 'not finished':
      return signed({ ...plain, status: '0' }, secret)
    case 'late':
      return signed({ ...plain, timestamp: String(report.at - 4 * MINUTE) }, secret)
    case 'stale':
      return signed({ ...plain, timestamp: String(report.at - 6 * MINUTE) }, secret)
    case 'ahead':
      return signed({ ...plain, timestamp: String(report.at + 6 * MINUTE) }, secret)
    case 'wrong sign':
      return { ...plain, sign: md5('somebody else') }
    case 'changed splist':
      // The signature does not cover it: a captured message can be changed to say the opposite.
      return { ...signed(plain, secret), splist: units(() => 0) }
    case 'aliases':
      return signed(withAliases(plain), secret)
    case 'aliases signed as mapped':
      return signed(withAliases(plain), secret, { ...plain, dsfshbh: '99' })
    case 'ten digits':
      return signed({ ...plain, timestamp: String(Math.floor(report.at / 1000)) }, secret)
    case 'number time':
      return signed({ ...plain, timestamp: report.at }, secret)
    case 'numbers':
      return signed({ ...plain, status: 1, tkje: 0, splist: units(() => '1') }, secret)
    case 'without ids':
      return signed({ ...plain, ddbh: '', dsfjybh: null }, secret)
  }
}

/** Posts a callback and returns the receiver's answer. */
export async function postCallback(gatewayUrl: string, body: Callback | string) {
  const response = await fetch(`${gatewayUrl}/inbound/vendor/dispense-result`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
  const text = await response.text()
  return { status: response.status, text, body: parsed(text) }
}

function plainBody(report: Report): Callback {
  return {
    ...(report.orderId === undefined ? {} : { ddbh: report.orderId }),
    ...(report.chargeId === undefined ? {} : { dsfjybh: report.chargeId }),
    jqbh: report.machine,
    paytype: 'forwardPayCode',
    status: '1',
    tkje: '0',
    timestamp: String(report.at),
    splist: splistOf(report, () => 1),
  }
}

const splistOf = ({ goods }: Report, chsl: (index: number) => number | string) =>
  goods.map(({ spbh, spmc }, index) => ({
    spbh: String(spbh),
    chsl: chsl(index),
    ...(spmc === undefined ? {} : { spmc }),
  }))

function withAliases({ status, ...rest }: Callback): Callback {
  return { ...rest, state: status, dsfshdh: '99' }
}

function parsed(text: string): any {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
