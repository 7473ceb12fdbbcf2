import { lookup } from 'node:dns/promises'
import { request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { BlockList, isIP, type LookupFunction } from 'node:net'
import { attemptHeaders } from '../../../src/merchants/webhooks/signature.ts'
import type { GatewayEvent } from '../../typescript/src/gateway-client.ts'
import { Refused, UsageError } from './faults.ts'

/** Where events are sent on to. `address` is the one that was judged, and the one that is connected to. */
export type Receiver = { url: URL; address: string }

/** `isLate`: nothing came within the time that was given. */
export type Forwarded = { ms: number } & (
  | { kind: 'answered'; status: number }
  | { kind: 'unanswered'; reason: string; isLate: boolean }
)
type RawMessage = { body: Buffer; headers: Record<string, string> }

type Signed = { event: GatewayEvent; sequence: number; secret: string }

const PATIENCE_MS = 10_000

const PRIVATE = new BlockList()
for (const [network, bits] of [
  ['127.0.0.0', 8],
  ['10.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
] as const)
  PRIVATE.addSubnet(network, bits, 'ipv4')
for (const [network, bits] of [
  ['::1', 128],
  ['fc00::', 7],
] as const)
  PRIVATE.addSubnet(network, bits, 'ipv6')

/**
 * Finds the address of a receiver. Events hold names and phones of customers, so they leave this machine and its network only with
 * `anywhere`. Throws UsageError for what is no address, and Refused for one of elsewhere.
 */
export async function findReceiver(text: string, anywhere: boolean): Promise<Receiver> {
  const url = URL.canParse(text) ? new URL(text) : null
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new UsageError('--forward must be an http or https address, such as http://localhost:3000/hook')
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1')
  const found = await lookup(host, { all: true }).catch(() => [])
  if (found.length === 0) throw new Refused(`${host} has no address: is it written right?`)
  const outside = found.find(({ address }) => !isPrivate(address))
  if (outside !== undefined && !anywhere)
    throw new Refused(
      `${host} is ${outside.address}, neither this machine nor its network: add --anywhere if you mean it`,
    )
  return { url, address: found[0]?.address ?? '' }
}

const isPrivate = (address: string) => PRIVATE.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4')

/** Posts an event as a real delivery is posted, signed with this secret. Says how it was answered, at the latest after ten seconds. */
export function forward(receiver: Receiver, { event, sequence, secret }: Signed, signal: AbortSignal) {
  const body = Buffer.from(JSON.stringify(event))
  const signed = attemptHeaders({ id: event.id, at: new Date(), body, secrets: [secret] }, null)
  const headers = { ...signed, 'X-Event-Sequence': String(sequence) }
  return postMessage(receiver, { body, headers }, { patienceMs: PATIENCE_MS, signal })
}

/** Posts these bytes, and says how they were answered. Throws only what `signal` was ended with. */
export async function postMessage(
  receiver: Receiver,
  message: RawMessage,
  { patienceMs, signal = new AbortController().signal }: { patienceMs: number; signal?: AbortSignal },
): Promise<Forwarded> {
  const begunMs = performance.now()
  const passed = () => Math.round(performance.now() - begunMs)
  const late = AbortSignal.timeout(patienceMs)
  try {
    const status = await post(receiver, { ...message, signal: AbortSignal.any([late, signal]) })
    return { kind: 'answered', status, ms: passed() }
  } catch (error) {
    signal.throwIfAborted()
    const isLate = late.aborted
    const reason = isLate ? `no answer within ${patienceMs / 1000} s` : reasonOf(error as NodeJS.ErrnoException)
    return { kind: 'unanswered', reason, isLate, ms: passed() }
  }
}

type Posting = RawMessage & { signal: AbortSignal }

/** Resolves with the status once the answer has ended. Redirects are not followed, as with real deliveries. */
function post({ url, address }: Receiver, { body, headers: signed, signal }: Posting): Promise<number> {
  const send = url.protocol === 'https:' ? requestHttps : requestHttp
  const headers = { ...signed, 'Content-Length': String(body.length) }
  return new Promise((resolve, reject) => {
    const sent = send(url, { method: 'POST', headers, signal, agent: false, lookup: always(address) }, (answer) => {
      // What it says is not kept, whatever its length.
      answer.on('end', () => resolve(answer.statusCode ?? 0))
      answer.on('error', reject)
      answer.resume()
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

/** A name may have another address a moment later: only the one that was judged is used. */
const always =
  (address: string): LookupFunction =>
  (_, { all }, done) => {
    const family = isIP(address)
    if (all) done(null, [{ address, family }])
    else done(null, address, family)
  }

function reasonOf({ code, message }: NodeJS.ErrnoException): string {
  if (code === 'ECONNREFUSED') return 'nobody listens there'
  if (code === 'ECONNRESET') return 'the connection was closed without an answer'
  return code ?? message
}
