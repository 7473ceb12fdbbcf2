import { randomUUID } from 'node:crypto'
import type { Clock } from '../../platform/time/clock.ts'
import type { LineCheck } from '../configured-rail.ts'
import { type CallDeadline, deadlineIn } from '../rail.ts'
import type { Op1Line } from './line.ts'
import { buildStatusRequest } from './line.ts'
import { parseAnswerBody, parseErrorCode, parseWholeAmount, parseWord } from './parse-answer.ts'
import { type OperatorReply, openWire, resolveName } from './transport.ts'

type CheckResult = { ok: boolean; says: string }

const CHECK_DEADLINE_MS = 10_000
const MAX_SKEW_MS = 60_000
const TLS_ERROR = /^(?:ERR_TLS|ERR_SSL|CERT_|EPROTO|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO)/
// No merchant has this tag and no attempt this token, so only our own callback address answers it with 200 and an empty object.
const SELF_TEST_PATH = `zzzzz/${'0'.repeat(43)}`

/**
 * Tries each credential of one product of an installation (rails.md 3.12). It never posts money. `phone` is a wallet to look up.
 */
export async function checkLine(line: Op1Line, clock: Clock, phone: string | null): Promise<LineCheck[]> {
  const { own, product } = line
  const heard = await line.token.fetchNow()
  const token = checkToken(heard)
  const results: [string, CheckResult][] = [
    ['settings', passed('subscription key, user and secret are given')],
    ['name', await checkName(own.baseUrl)],
    ['tls', checkTls(own.baseUrl, heard)],
    ['clock', checkClock(heard, clock)],
    ['token', token],
    ['status', token.ok ? await checkStatus(line) : notTried()],
    ['balance', token.ok ? await checkBalance(line) : notTried()],
    ['lookup', token.ok ? await checkLookup(line, phone) : notTried()],
    ['callback', await checkCallback(line)],
  ]
  return results.map(([check, { ok, says }]) => ({ installation: own.id, product, check, ok, says }))
}

const passed = (says: string): CheckResult => ({ ok: true, says })
const failed = (says: string): CheckResult => ({ ok: false, says })
const notTried = () => failed('not tried: there is no token')
const checkDeadline = (): CallDeadline => deadlineIn(CHECK_DEADLINE_MS)

async function checkName(address: string): Promise<CheckResult> {
  const { hostname } = new URL(address)
  return (await resolveName(hostname)) ? passed(`${hostname} resolves`) : failed(`${hostname} does not resolve`)
}

function checkTls(address: string, { stage, transport }: OperatorReply): CheckResult {
  if (address.startsWith('http:')) return passed('plain http on a loopback address')
  if (TLS_ERROR.test(transport ?? '')) return failed(`TLS fails: ${transport}`)
  return stage === 'connect' ? failed(`no connection: ${transport}`) : passed('the certificate is accepted')
}

function checkClock({ headers, status }: OperatorReply, clock: Clock): CheckResult {
  const theirs = Date.parse(String(headers.date ?? ''))
  if (Number.isNaN(theirs))
    return status === null ? failed('no answer to compare with') : passed('the operator tells no time')
  const skewSeconds = Math.round((clock.nowMs() - theirs) / 1000)
  return Math.abs(skewSeconds) * 1000 < MAX_SKEW_MS
    ? passed('our clock agrees with the operator')
    : failed(`our clock differs from the operator by ${skewSeconds} s`)
}

/** Tells what is wrong from how the operator refuses a token (rails.md 3.4). */
function checkToken(heard: OperatorReply): CheckResult {
  const { status, transport, body } = heard
  if (status === null) return failed(`no answer: ${transport}`)
  const answerBody = parseAnswerBody(heard)
  if (status === 200)
    return answerBody?.access_token ? passed('a token was given') : failed('a firewall answered with a page')
  if (status === 401 && /subscription key/i.test(parseWord(answerBody, 'message') ?? ''))
    return failed('the subscription key is refused')
  if (status === 401) return failed('user or secret is refused')
  if (status === 400 && /target-environment/i.test(body.toString('utf8')))
    return failed('the target environment is refused')
  if (status === 403) return failed('the operator forbids the call: firewall, or the product is not granted')
  return failed(`the operator answered ${status} to the token call`)
}

async function checkStatus(line: Op1Line): Promise<CheckResult> {
  const { heard } = await line.call('status', buildStatusRequest(line, randomUUID()), checkDeadline())
  if (heard.status === 404) return passed('a reference that nobody has is not found')
  return failed(`a question about a payment is answered ${formatAnswer(heard)}`)
}

async function checkBalance(line: Op1Line): Promise<CheckResult> {
  const path = `/${line.product}/v1_0/account/balance`
  const { heard } = await line.call('status', { method: 'GET', path, headers: {} }, checkDeadline())
  const amount = heard.status === 200 ? parseWholeAmount(parseAnswerBody(heard), 'availableBalance') : null
  return amount === null
    ? failed(`the balance cannot be read: ${formatAnswer(heard)}`)
    : passed('the balance can be read')
}

async function checkLookup(line: Op1Line, phone: string | null): Promise<CheckResult> {
  if (phone === null) return passed('not tried: give a number with --phone')
  const path = `/${line.product}/v1_0/accountholder/msisdn/${phone}/active`
  const { heard } = await line.call('status', { method: 'GET', path, headers: {} }, checkDeadline())
  const isReadable = heard.status === 200 || heard.status === 404
  return isReadable
    ? passed('a wallet can be looked up')
    : failed(`a wallet cannot be looked up: ${formatAnswer(heard)}`)
}

async function checkCallback({ own }: Op1Line): Promise<CheckResult> {
  if (own.callback === null || !own.callback.send) return passed('no callbacks are asked for')
  const { base } = own.callback
  const resolves = await checkName(base)
  if (!resolves.ok) return resolves
  const wire = openWire({ ...own, baseUrl: base })
  const request = { method: 'POST', path: `/${SELF_TEST_PATH}`, headers: {}, body: '{}' } as const
  const heard = await wire.ask('status', request, checkDeadline())
  await wire.close()
  const isOurs = heard.status === 200 && heard.body.toString('utf8') === '{}'
  return isOurs
    ? passed(`callbacks reach us at ${base}`)
    : failed(`callbacks do not reach us at ${base}: ${formatAnswer(heard)}`)
}

const formatAnswer = (heard: OperatorReply): string =>
  [heard.status ?? 'nothing', heard.status === null ? heard.transport : parseErrorCode(parseAnswerBody(heard))]
    .filter((part) => part !== null)
    .join(' ')
