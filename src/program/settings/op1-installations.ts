import { readFileSync } from 'node:fs'
import type { Credentials, Op1Installation } from '../../rails/op1-momo/installation.ts'
import type { ReasonOverrides } from '../../rails/op1-momo/reasons.ts'
import { CHARGE_FAILURES, PAYOUT_FAILURES } from '../../rails/rail.ts'
import { type Environment, type JsonFields, readJsonFields } from './json-fields.ts'
import { WrongSettings } from './setting-readers.ts'

const HOUR_SECONDS = 3600
const LOOPBACK = /^(?:localhost|127(?:\.[0-9]{1,3}){3}|\[::1\])$/

/** Whether an address stays on this machine. */
export const isLoopback = (address: string): boolean => LOOPBACK.test(new URL(address).hostname)

/**
 * Reads the installations of the operator from the file that OP1_INSTALLATIONS names (rails.md 3.2 and 9); none without a file. Throws
 * WrongSettings that names the field.
 */
export function readOp1Installations(path: string, environment: Environment): Op1Installation[] {
  if (path === '') return []
  const list = readJson(path)
  if (!Array.isArray(list)) throw new WrongSettings(`${path} must hold a JSON list of installations`)
  const installations = list.map((entry, at) => parseInstallation(readJsonFields(entry, `[${at}]`, environment)))
  refuseDuplicates(installations)
  return installations
}

function readJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch (error) {
    const why = error instanceof SyntaxError ? 'is not JSON' : 'cannot be read'
    throw new WrongSettings(`${path} ${why}`)
  }
}

function parseInstallation(fields: JsonFields): Op1Installation {
  const id = fields.text('id')
  if (!/^[\w.-]{1,60}$/.test(id)) throw fields.wrong('id', 'must be letters, digits, dot, dash or underscore')
  const own: Op1Installation = {
    id,
    baseUrl: parseAddress(fields, 'baseUrl'),
    targetEnvironment: fields.text('targetEnvironment'),
    currency: fields.text('currency', 'UGX'),
    active: fields.flag('active', true),
    foreignPhones: fields.flag('foreignPhones', false),
    collection: fields.object('collection', parseCredentials),
    disbursement: fields.object('disbursement', parseCredentials),
    callback: fields.object('callback', parseCallback),
    statusPerSecond: fields.numberOrNull('statusPerSecond', { low: 1, high: 10_000 }, 8),
    submitConnections: fields.number('submitConnections', { low: 1, high: 1000 }, 64),
    submitPerSecond: fields.numberOrNull('submitPerSecond', { low: 1, high: 100_000 }, null),
    lookupsPerSecond: fields.number('lookupsPerSecond', { low: 1, high: 1000 }, 5),
    tokenRenewSeconds: fields.number('tokenRenewSeconds', { low: 1, high: HOUR_SECONDS }, 600),
    tokenTimeoutMs: fields.number('tokenTimeoutMs', { low: 100, high: 120_000 }, 40_000),
    timeouts: fields.object('timeouts', parseTimeouts) ?? TIMEOUTS,
    noteMaxLength: fields.number('noteMaxLength', { low: 20, high: 160 }, 120),
    repostHours: fields.number('repostHours', { low: 1, high: 24 }, 24),
    chargeRepostSeconds: fields.number('chargeRepostSeconds', { low: 0, high: 300 }, 60),
    thinLadder: fields.flag('thinLadder', false),
    breaker: fields.object('breaker', parseBreaker) ?? BREAKER,
    reasonOverrides: fields.object('reasonOverrides', parseReasons) ?? {},
    floatAlarmAmount: fields.numberOrNull('floatAlarmAmount', { low: 0, high: 10 ** 12 }, null),
  }
  fields.done()
  if (own.collection === null && own.disbursement === null)
    throw fields.wrong('collection', 'or disbursement must be given: without credentials it can do nothing')
  return own
}

function parseCredentials(fields: JsonFields): Credentials {
  return {
    subscriptionKey: fields.secret('subscriptionKey'),
    user: fields.secret('user'),
    secret: fields.secret('secret'),
  }
}

function parseCallback(fields: JsonFields): { base: string; send: boolean } {
  const base = parseAddress(fields, 'base')
  if (!base.startsWith('https://') && !isLoopback(base))
    throw fields.wrong('base', 'must be https: the operator calls no other address')
  return { base, send: fields.flag('send', true) }
}

const TIMEOUTS = { connect: 3, headers: 25, body: 10, submit: 25, answer: 5 }
const parseTimeouts = (fields: JsonFields) => {
  const seconds = (name: keyof typeof TIMEOUTS, high: number) =>
    fields.number(name, { low: 0.1, high, whole: false }, TIMEOUTS[name])
  return {
    connect: seconds('connect', 30),
    headers: seconds('headers', 25),
    body: seconds('body', 25),
    // A post belongs to its process for 30 s, so it must have ended before.
    submit: seconds('submit', 25),
    answer: seconds('answer', 25),
  }
}

const BREAKER = { faultsInRow: 5, share: 0.5, minCalls: 20, windowSeconds: 10, openSeconds: 5 }
const parseBreaker = (fields: JsonFields) => ({
  faultsInRow: fields.number('faultsInRow', { low: 1, high: 10_000 }, BREAKER.faultsInRow),
  share: fields.number('share', { low: 0.01, high: 1, whole: false }, BREAKER.share),
  minCalls: fields.number('minCalls', { low: 1, high: 100_000 }, BREAKER.minCalls),
  windowSeconds: fields.number('windowSeconds', { low: 1, high: 600 }, BREAKER.windowSeconds),
  openSeconds: fields.number('openSeconds', { low: 1, high: 30 }, BREAKER.openSeconds),
})

function parseReasons(fields: JsonFields): ReasonOverrides {
  const overrides: ReasonOverrides = {}
  for (const word of fields.names()) {
    const meaning = fields.object(word, (inner) => ({
      ...parseReason(inner, 'charge', CHARGE_FAILURES),
      ...parseReason(inner, 'payout', PAYOUT_FAILURES),
    }))
    if (meaning !== null) overrides[word] = meaning
  }
  return overrides
}

function parseReason<Name extends string, Reason extends string>(
  fields: JsonFields,
  name: Name,
  reasons: readonly Reason[],
): { [K in Name]?: Reason } {
  if (!fields.names().includes(name)) return {}
  const text = fields.text(name)
  const known = reasons.find((reason) => reason === text)
  if (known === undefined) throw fields.wrong(name, `must be one of ${reasons.join(', ')}`)
  return { [name]: known } as { [K in Name]?: Reason } // The computed name is the one asked for.
}

function parseAddress(fields: JsonFields, name: string): string {
  const text = fields.text(name)
  const read = URL.canParse(text) ? new URL(text) : null
  if (read === null || !['http:', 'https:'].includes(read.protocol) || read.search !== '' || read.hash !== '')
    throw fields.wrong(name, 'must be an http or https address')
  if (read.protocol === 'http:' && !isLoopback(text))
    throw fields.wrong(name, 'must be https: plain http is for a loopback address')
  return text.replace(/\/+$/, '')
}

function refuseDuplicates(installations: readonly Op1Installation[]): void {
  const ids = installations.map(({ id }) => id)
  const duplicate = ids.find((id, at) => ids.indexOf(id) !== at)
  if (duplicate !== undefined) throw new WrongSettings(`two installations are called ${duplicate}`)
  for (const product of ['collection', 'disbursement'] as const) {
    const active = installations.filter((installation) => installation.active && installation[product] !== null)
    if (active.length > 1)
      throw new WrongSettings(
        `${active.map(({ id }) => id).join(' and ')} are both active for ${product}: at most one takes new movements`,
      )
  }
}
