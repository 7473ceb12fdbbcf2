import { randomUUID } from 'node:crypto'
import type { Clock } from '../../platform/clock.ts'
import { type Deadline, deadlineIn } from '../rail.ts'
import { amountIn, bodyOf, codeOf, wordIn } from './answers.ts'
import type { Line } from './line.ts'
import { askedAbout } from './line.ts'
import { type Heard, openWire, resolveName } from './transport.ts'

/** One check of one product of an installation, with its result as a sentence that contains no secret. */
export type Checked = { installation: string; product: string; check: string; ok: boolean; says: string }
type Finding = { ok: boolean; says: string }

const SHORT_MS = 10_000
const MOST_SKEW_MS = 60_000
const TLS = /^(?:ERR_TLS|ERR_SSL|CERT_|EPROTO|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO)/
// No merchant has this tag and no attempt this token, so only our own callback address answers it with 200 and an empty object.
const SELF_TEST = `zzzzz/${'0'.repeat(43)}`

/**
 * Tries each credential of one product of an installation (rails.md 3.12). It never posts money. `phone` is a wallet to look up.
 */
export async function checkLine(line: Line, clock: Clock, phone: string | null): Promise<Checked[]> {
  const { own, product } = line
  const heard = await line.token.fetchNow()
  const token = tokenFinding(heard)
  const results: [string, Finding][] = [
    ['settings', good('subscription key, user and secret are given')],
    ['name', await nameFinding(own.baseUrl)],
    ['tls', tlsFinding(own.baseUrl, heard)],
    ['clock', clockFinding(heard, clock)],
    ['token', token],
    ['status', token.ok ? await statusFinding(line) : untried()],
    ['balance', token.ok ? await balanceFinding(line) : untried()],
    ['lookup', token.ok ? await lookupFinding(line, phone) : untried()],
    ['callback', await callbackFinding(line)],
  ]
  return results.map(([check, { ok, says }]) => ({ installation: own.id, product, check, ok, says }))
}

const good = (says: string): Finding => ({ ok: true, says })
const bad = (says: string): Finding => ({ ok: false, says })
const untried = () => bad('not tried: there is no token')
const soon = (): Deadline => deadlineIn(SHORT_MS)

async function nameFinding(address: string): Promise<Finding> {
  const { hostname } = new URL(address)
  return (await resolveName(hostname)) ? good(`${hostname} resolves`) : bad(`${hostname} does not resolve`)
}

function tlsFinding(address: string, { stage, transport }: Heard): Finding {
  if (address.startsWith('http:')) return good('plain http on a loopback address')
  if (TLS.test(transport ?? '')) return bad(`TLS fails: ${transport}`)
  return stage === 'connect' ? bad(`no connection: ${transport}`) : good('the certificate is accepted')
}

function clockFinding({ headers, status }: Heard, clock: Clock): Finding {
  const theirs = Date.parse(String(headers.date ?? ''))
  if (Number.isNaN(theirs))
    return status === null ? bad('no answer to compare with') : good('the operator tells no time')
  const skewSeconds = Math.round((clock.nowMs() - theirs) / 1000)
  return Math.abs(skewSeconds) * 1000 < MOST_SKEW_MS
    ? good('our clock agrees with the operator')
    : bad(`our clock differs from the operator by ${skewSeconds} s`)
}

/** Tells what is wrong from how the operator refuses a token (rails.md 3.4). */
function tokenFinding(heard: Heard): Finding {
  const { status, transport, body } = heard
  if (status === null) return bad(`no answer: ${transport}`)
  const answerBody = bodyOf(heard)
  if (status === 200)
    return answerBody?.access_token ? good('a token was given') : bad('a firewall answered with a page')
  if (status === 401 && /subscription key/i.test(wordIn(answerBody, 'message') ?? ''))
    return bad('the subscription key is refused')
  if (status === 401) return bad('user or secret is refused')
  if (status === 400 && /target-environment/i.test(body.toString('utf8')))
    return bad('the target environment is refused')
  if (status === 403) return bad('the operator forbids the call: firewall, or the product is not granted')
  return bad(`the operator answered ${status} to the token call`)
}

async function statusFinding(line: Line): Promise<Finding> {
  const { heard } = await line.call('status', askedAbout(line, randomUUID()), soon())
  if (heard.status === 404) return good('a reference that nobody has is not found')
  return bad(`a question about a payment is answered ${answerOf(heard)}`)
}

async function balanceFinding(line: Line): Promise<Finding> {
  const path = `/${line.product}/v1_0/account/balance`
  const { heard } = await line.call('status', { method: 'GET', path, headers: {} }, soon())
  const amount = heard.status === 200 ? amountIn(bodyOf(heard), 'availableBalance') : null
  return amount === null
    ? bad(`the balance cannot be read: ${answerOf(heard)}`)
    : good('the balance can be read')
}

async function lookupFinding(line: Line, phone: string | null): Promise<Finding> {
  if (phone === null) return good('not tried: give a number with --phone')
  const path = `/${line.product}/v1_0/accountholder/msisdn/${phone}/active`
  const { heard } = await line.call('status', { method: 'GET', path, headers: {} }, soon())
  const isReadable = heard.status === 200 || heard.status === 404
  return isReadable
    ? good('a wallet can be looked up')
    : bad(`a wallet cannot be looked up: ${answerOf(heard)}`)
}

async function callbackFinding({ own }: Line): Promise<Finding> {
  if (own.callback === null || !own.callback.send) return good('no callbacks are asked for')
  const { base } = own.callback
  const resolves = await nameFinding(base)
  if (!resolves.ok) return resolves
  const wire = openWire({ ...own, baseUrl: base })
  const request = { method: 'POST', path: `/${SELF_TEST}`, headers: {}, body: '{}' } as const
  const heard = await wire.ask('status', request, soon())
  await wire.close()
  const isOurs = heard.status === 200 && heard.body.toString('utf8') === '{}'
  return isOurs
    ? good(`callbacks reach us at ${base}`)
    : bad(`callbacks do not reach us at ${base}: ${answerOf(heard)}`)
}

const answerOf = (heard: Heard): string =>
  [heard.status ?? 'nothing', heard.status === null ? heard.transport : codeOf(bodyOf(heard))]
    .filter((part) => part !== null)
    .join(' ')
