import { connect, type Socket } from 'node:net'
import { type Post, restOfPost } from './bodies.ts'
import { percentile } from './figures.ts'

/**
 * The load generator, a process of its own: a closed loop of connections that each send the next request when the answer
 * to the last has come. It writes prepared bytes to plain sockets, so that it takes little of the machine it measures on.
 */
export type LoadOrder = {
  port: number
  connections: number
  /** `Authorization` tokens; each request takes one by chance. */
  tokens: readonly string[]
  /** Ends after so many milliseconds, or after so many requests. */
  ms?: number
  requests?: number
  /** No more than so many requests a second in all; absent: as fast as the answers come. */
  perSecond?: number
  /** What is posted, with new bodies and keys. Absent: charges. */
  post?: Post
  /** A request that is answered 503 is sent again unchanged after `Retry-After`. */
  repeat?: boolean
  /** A GET of this path instead of a POST. */
  path?: string
}
export type LoadResult = {
  seconds: number
  /** How many answers of each status. */
  statuses: Record<string, number>
  /** The first answer that was not a success, as it came. */
  refusal: string | null
  p50Ms: number
  p99Ms: number
  /** Of the successes only, and of the answers with 503 only; NaN where there were none. */
  acceptedP99Ms: number
  refusedP99Ms: number
}

type Run = LoadOrder & {
  post: Post
  heads: string[]
  startedAt: number
  left: number
  times: number[]
  accepted: number[]
  refused: number[]
  statuses: Record<string, number>
  refusal: string | null
}
type Wire = { socket: Socket; text: string; sent: string; sentAt: number; dueAt: number; done: () => void }

const OPEN_AT_ONCE = 100

process.on('message', (order: LoadOrder) => {
  drive(order).then(
    (result) => process.send?.({ result }),
    (error) => process.send?.({ error: String(error) }),
  )
})
process.on('disconnect', () => process.exit(0))

async function drive(order: LoadOrder): Promise<LoadResult> {
  const { post = '/v1/charges' } = order
  const heads = order.tokens.map((token) => headOf({ ...order, post }, token))
  const left = order.requests ?? Number.POSITIVE_INFINITY
  const sockets = await openAll(order)
  const run: Run = {
    ...order,
    post,
    heads,
    left,
    startedAt: performance.now(),
    times: [],
    accepted: [],
    refused: [],
    statuses: {},
    refusal: null,
  }
  await Promise.all(sockets.map((socket) => work(run, socket)))
  const seconds = (performance.now() - run.startedAt) / 1000
  const [all, accepted, refused] = [run.times, run.accepted, run.refused].map((times) =>
    Float64Array.from(times).sort(),
  ) as [Float64Array, Float64Array, Float64Array]
  const { statuses, refusal } = run
  return {
    seconds,
    statuses,
    refusal,
    p50Ms: percentile(all, 0.5),
    p99Ms: percentile(all, 0.99),
    acceptedP99Ms: percentile(accepted, 0.99),
    refusedP99Ms: percentile(refused, 0.99),
  }
}

function headOf({ port, path, post }: LoadOrder, token: string): string {
  const common = `Host: 127.0.0.1:${port}\r\nAuthorization: Bearer ${token}\r\nAccept: application/json\r\n`
  if (path !== undefined) return `GET ${path} HTTP/1.1\r\n${common}\r\n`
  return `POST ${post} HTTP/1.1\r\n${common}Content-Type: application/json\r\n`
}

/** Opens some connections at a time. Those that are open must not wait for the rest, because the service closes silent ones. */
async function openAll({ connections, port }: LoadOrder): Promise<Socket[]> {
  const sockets: Socket[] = []
  while (sockets.length < connections) {
    const some = Math.min(OPEN_AT_ONCE, connections - sockets.length)
    sockets.push(...(await Promise.all(Array.from({ length: some }, () => open(port)))))
  }
  return sockets
}

function open(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true })
    socket.once('connect', () => resolve(socket)).once('error', reject)
  })
}

function work(run: Run, socket: Socket): Promise<void> {
  return new Promise((resolve, reject) => {
    // If requests have fixed times, the connections do not all start at once.
    const dueAt = performance.now() - Math.random() * pauseOf(run)
    const wire: Wire = { socket, text: '', sent: '', sentAt: 0, dueAt, done: resolve }
    socket.on('error', reject)
    socket.on('close', () => {
      const ms = Math.round(performance.now() - wire.sentAt)
      reject(new Error(`the service closed a connection ${ms} ms after a request; it said: ${wire.text.slice(0, 100)}`))
    })
    socket.on('data', (chunk) => {
      wire.text += chunk.toString('latin1')
      take(run, wire)
    })
    next(run, wire)
  })
}

function next(run: Run, wire: Wire): void {
  const now = performance.now()
  if (run.left <= 0 || (run.ms !== undefined && now - run.startedAt >= run.ms)) {
    wire.socket.removeAllListeners('close').destroy()
    wire.done()
    return
  }
  run.left -= 1
  wire.dueAt = Math.max(now, wire.dueAt + pauseOf(run))
  if (wire.dueAt === now) send(run, wire)
  else setTimeout(send, wire.dueAt - now, run, wire)
}

const pauseOf = ({ perSecond, connections }: LoadOrder) =>
  perSecond === undefined ? 0 : (1000 * connections) / perSecond

function send(run: Run, wire: Wire): void {
  const head = run.heads[Math.floor(Math.random() * run.heads.length)] as string
  wire.sent = run.path === undefined ? head + restOfPost(run.post) : head
  sendAgain(wire)
}

function sendAgain(wire: Wire): void {
  wire.sentAt = performance.now()
  wire.socket.write(wire.sent, 'latin1')
}

function take(run: Run, wire: Wire): void {
  const end = wire.text.indexOf('\r\n\r\n')
  if (end < 0) return
  const length = Number(/content-length: ([0-9]+)/i.exec(wire.text)?.[1] ?? 0)
  if (wire.text.length < end + 4 + length) return
  const { text } = wire
  const status = text.slice(9, 12)
  const ms = performance.now() - wire.sentAt
  run.times.push(ms)
  run.statuses[status] = (run.statuses[status] ?? 0) + 1
  if (status.startsWith('2')) run.accepted.push(ms)
  else run.refusal ??= text
  if (status === '503') run.refused.push(ms)
  wire.text = ''
  if (run.repeat && status === '503')
    setTimeout(sendAgain, Number(/retry-after: ([0-9]+)/i.exec(text)?.[1] ?? 1) * 1000, wire)
  else next(run, wire)
}
