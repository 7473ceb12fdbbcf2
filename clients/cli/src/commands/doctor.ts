import { setTimeout as pause } from 'node:timers/promises'
import { attemptHeaders } from '../../../../src/merchants/webhooks/signature.ts'
import {
  type Gateway,
  GatewayError,
  verifyWebhook,
  type WebhookAddress,
} from '../../../typescript/src/gateway-client.ts'
import type { Command, Environment } from '../command.ts'
import { configFile, isOpenToOthers } from '../config.ts'
import { UsageError } from '../faults.ts'
import { type Heard, openSession, type Session } from '../session.ts'
import { type Column, printTable } from '../table.ts'
import { keepSecret } from './listen.ts'

type Finding = { check: string; state: 'ok' | 'warning' | 'failed'; text: string }
type Visit = { session: Session; environment: Environment; answered: Extract<Heard, { kind: 'answered' }>[] }

// The service takes a timestamp that is at most 60 s ahead and 300 s old.
const [MOST_AHEAD_S, MOST_BEHIND_S, WORTH_TELLING_S] = [60, 300, 20]
const PING_PATIENCE_MS = 15_000
const PING_PAUSE_MS = 500
const NEWEST_DELIVERIES = 20

const COLUMNS: readonly Column<Finding>[] = [
  { head: 'CHECK', cell: ({ check }) => check },
  { head: 'STATE', cell: ({ state }) => state },
  { head: 'WHAT WAS FOUND', cell: ({ text }) => text },
]

const doctor: Command = {
  words: 'doctor',
  summary: 'look whether key, clock, address and signatures are right',
  details:
    'Sends a test.ping to each of your webhook addresses, and looks how it was answered. The exit code is 1 where a check fails.',
  options: { 'no-ping': { help: 'send no test.ping' } },
  run: async ({ terminal, environment, given }) => {
    const answered: Visit['answered'] = []
    const watch = (heard: Heard) => void (heard.kind === 'answered' && answered.push(heard))
    const visit = { session: openSession(environment, { watch }), environment, answered }
    const findings = await examine(visit, !given.has('no-ping'))
    if (terminal.json) terminal.out(JSON.stringify({ findings }))
    else printTable(terminal, COLUMNS, findings)
    return findings.some(({ state }) => state === 'failed') ? 1 : 0
  },
}

async function examine(visit: Visit, mayPing: boolean): Promise<Finding[]> {
  const reached = await checkService(visit)
  const findings = [reached, checkFile(visit.environment)]
  if (reached.state === 'failed') return [...findings, await checkSignature(visit)]
  const key = await checkKey(visit)
  findings.push(checkClock(visit), key)
  if (key.state !== 'failed') findings.push(...(await checkAddresses(visit.session.gateway, mayPing)))
  return [...findings, await checkSignature(visit)]
}

const ok = (check: string, text: string): Finding => ({ check, state: 'ok', text })
const warning = (check: string, text: string): Finding => ({ check, state: 'warning', text })
const failed = (check: string, text: string): Finding => ({ check, state: 'failed', text })

async function checkService({ session, answered }: Visit): Promise<Finding> {
  const { gateway, baseUrl } = session
  try {
    const { status, version } = await gateway.health.retrieve({ maxRetries: 0 })
    const [heard] = answered
    const took = heard === undefined ? '' : ` in ${heard.heardMs - heard.sentMs} ms`
    return ok('service', `${baseUrl} answers${took}: ${status}, version ${version}`)
  } catch (error) {
    return failed('service', `${baseUrl}: ${sentenceOf(error)}`)
  }
}

function checkFile(environment: Environment): Finding {
  const file = configFile(environment)
  return isOpenToOthers(environment)
    ? warning('config file', `others can read ${file}: chmod 600 it, and rotate the key`)
    : ok('config file', file)
}

/** The service tells its time in whole seconds, so a second is no difference. */
function checkClock({ answered }: Visit): Finding {
  const { date, sentMs = 0, heardMs = 0 } = answered.at(-1) ?? {}
  const theirs = Date.parse(date ?? '')
  if (Number.isNaN(theirs)) return warning('clock', 'the service does not tell its time')
  const ahead = Math.round((sentMs + heardMs) / 2000 - theirs / 1000)
  if (Math.abs(ahead) <= 1) return ok('clock', 'the same as that of the service')
  const text = `${Math.abs(ahead)} s ${ahead > 0 ? 'ahead of' : 'behind'} that of the service`
  if (ahead > MOST_AHEAD_S || -ahead > MOST_BEHIND_S) return failed('clock', `${text}: set it, requests are refused`)
  return Math.abs(ahead) > WORTH_TELLING_S ? warning('clock', text) : ok('clock', text)
}

async function checkKey({ session }: Visit): Promise<Finding> {
  try {
    const { name, mode, scope, active, verified } = await session.gateway.account.retrieve()
    const from = session.source === 'login' ? 'your login' : 'GATEWAY_API_KEY'
    const text = `${name}, ${mode} mode, scope ${scope}, from ${from}`
    if (!active) return failed('key', `${text}: the account is closed`)
    if (mode === 'live') return warning('key', `${text}: it moves real money`)
    return ok('key', verified ? text : `${text}; the business is not verified yet`)
  } catch (error) {
    return failed('key', sentenceOf(error))
  }
}

async function checkAddresses(gateway: Gateway, mayPing: boolean): Promise<Finding[]> {
  try {
    const { data } = await gateway.webhookAddresses.list()
    const set = data.filter(({ url }) => url !== null)
    if (set.length > 0) return await Promise.all(set.map((address) => checkAddress(gateway, address, mayPing)))
    return [warning('webhooks', 'no address is set: Developers, Webhooks on the dashboard, or mmg listen')]
  } catch (error) {
    return [failed('webhooks', sentenceOf(error))]
  }
}

async function checkAddress(gateway: Gateway, address: WebhookAddress, mayPing: boolean): Promise<Finding> {
  const { number, url, state } = address
  const check = `webhooks ${number}`
  if (state !== 'active') return warning(check, `${url} is ${state}: its events wait`)
  if (!mayPing) return ok(check, `${url}, not pinged`)
  try {
    return await ping(gateway, check, address)
  } catch (error) {
    return failed(check, `${url}: ${sentenceOf(error)}`)
  }
}

/** Sends a ping, and waits for its first attempt. */
async function ping(gateway: Gateway, check: string, { id: address, url }: WebhookAddress): Promise<Finding> {
  const { event_id: sent } = await gateway.webhookAddresses.test(address)
  const untilMs = Date.now() + PING_PATIENCE_MS
  for (;;) {
    const { data } = await gateway.deliveries.list({ address, event: 'test.ping', limit: NEWEST_DELIVERIES })
    const found = data.find(({ event_id }) => event_id === sent)
    if (found?.status === 'sent') return ok(check, `${url} took ${sent}, answer ${found.last_response_code}`)
    if (found !== undefined && found.attempts > 0)
      return failed(check, `${url}: ${found.last_error ?? 'it refused the ping'}`)
    if (Date.now() >= untilMs)
      return warning(check, `${url}: ${sent} was not tried within ${PING_PATIENCE_MS / 1000} s; it may be slow`)
    await pause(PING_PAUSE_MS)
  }
}

/** Signs as `listen` does and checks as a receiver does, with the right body and with another. */
async function checkSignature({ environment }: Visit): Promise<Finding> {
  const secret = keepSecret(environment)
  const body = Buffer.from(JSON.stringify({ id: 'evt_doctor', event: 'test.ping', timestamp: 0, data: {} }))
  const headers = attemptHeaders({ id: 'evt_doctor', at: new Date(), body, secrets: [secret] }, null)
  const isTaken = (raw: Buffer) =>
    verifyWebhook(raw, headers, { secret }).then(
      () => true,
      () => false,
    )
  const right = (await isTaken(body)) && !(await isTaken(Buffer.concat([body, Buffer.from(' ')])))
  return right
    ? ok('signature', 'what listen signs is believed, and a changed body is not')
    : failed('signature', 'what listen signs is not believed: remove the config file, and log in again')
}

function sentenceOf(error: unknown): string {
  if (error instanceof UsageError || error instanceof GatewayError) return error.message
  throw error
}

export const DOCTOR_COMMANDS: readonly Command[] = [doctor]
