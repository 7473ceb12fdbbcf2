import { randomBytes } from 'node:crypto'
import type { Call } from '../../platform/db/database.ts'
import { assertOutsideTransaction } from '../../platform/db/open-transaction.ts'
import type { PostAttempt } from '../../platform/outbound/attempt.ts'
import type { App } from '../../program/app.ts'
import {
  type ClaimedDevice,
  claimDevices,
  type DueDevice,
  findDueDevices,
  forgetDevice,
  recordMiss,
  recordTold,
  releaseDevices,
} from './claim-devices.ts'
import { newNewsCollector } from './collect-news.ts'
import { deviceBinding } from './device.ts'
import { encryptMessage, type PushAddress } from './encrypt-message.ts'
import { newPushSockets, type PushSockets } from './push-sockets.ts'
import { type Hearer, readHearers } from './read-hearers.ts'
import { wordMessage } from './word-message.ts'

/** Tells devices of one cell what was paid. */
type PushSender = {
  /** Collects the news, claims due devices for the free sockets and starts their attempts. Returns how many devices that were. */
  start(): Promise<number>
  /** Waits for attempts to end, then makes devices that are still claimed due again. */
  stop(): Promise<void>
}

// What one look does not see because a push service has no free socket is left to the next.
const MAX_LOOKS_PER_RUN = 4
const GONE = [404, 410]
const MAX_RETRY_AFTER_S = 3600

/**
 * Makes the sender of a cell. Its attempts run beside each other and are not awaited by a run: a push service that is slow or dead uses up
 * its own sockets, and those of nobody else.
 */
export function newPushSender(app: App): PushSender {
  const token = randomBytes(12).toString('hex')
  const sockets = newPushSockets()
  const collect = newNewsCollector(app)
  const running = new Set<Promise<void>>()

  /** Counts this work as under way until it has ended. */
  function track<Result>(work: Promise<Result>): Promise<Result> {
    const ended = work.then(
      () => {},
      () => {},
    )
    running.add(ended)
    void ended.then(() => running.delete(ended))
    return work
  }

  async function claim(): Promise<number> {
    const now = app.clock.now()
    const due = await query<DueDevice>(app, findDueDevices(now, sockets.busy()))
    const wanted = due.filter((device) => sockets.take(device))
    if (wanted.length === 0) return 0
    const claimed = await claimWanted(app, sockets, { wanted, now, token })
    const hearers = await readHearers(app, claimed).catch((error) => {
      for (const device of claimed) sockets.free(device)
      throw error
    })
    for (const device of claimed) launch(device, hearers.get(device.id) ?? null)
    return claimed.length
  }

  function launch(claimed: ClaimedDevice, hearer: Hearer | null): void {
    const attempt = tellDevice(app, { claimed, token, hearer })
      .catch((error) => app.log.error({ err: error, device: claimed.id }, 'a device could not be told'))
      .then(() => {
        // Somebody waits for this socket.
        if (sockets.free(claimed)) app.nudge('push-payments')
      })
    void track(attempt)
  }

  return {
    async start() {
      await collect()
      let started = 0
      for (let looks = 0; looks < MAX_LOOKS_PER_RUN; looks += 1) {
        const claimed = await track(claim())
        if (claimed === 0) break
        started += claimed
      }
      return started
    },
    async stop() {
      while (running.size > 0) await Promise.all(running)
      await query(app, releaseDevices(token)).catch(() => {})
    },
  }
}

const query = <Row>({ db }: App, { statement, values }: Call<Row>): Promise<Row[]> => db.query(statement, values)

type Claiming = { wanted: readonly DueDevice[]; now: Date; token: string }

/** Claims these devices, and frees the sockets of those that another process was quicker with. */
async function claimWanted(app: App, sockets: PushSockets, { wanted, now, token }: Claiming): Promise<ClaimedDevice[]> {
  let ids: ReadonlySet<string> = new Set()
  try {
    const claimed = await query(app, claimDevices(wanted, { now, token }))
    ids = new Set(claimed.map(({ id }) => id))
    return claimed
  } finally {
    for (const device of wanted) if (!ids.has(device.id)) sockets.free(device)
  }
}

type Telling = { claimed: ClaimedDevice; token: string; hearer: Hearer | null }

async function tellDevice(app: App, { claimed, token, hearer }: Telling): Promise<void> {
  if (hearer === null) return void (await query(app, forgetDevice({ claimed, token })))
  const message = wordMessage(claimed, hearer.role)
  const record = { claimed, token, now: app.clock.now() }
  if (message === null) return void (await query(app, recordTold(record, false)))
  const opened = app.vault.open(claimed.sealed, deviceBinding(claimed.merchantId, claimed.id))
  const posted = await postMessage(app, JSON.parse(opened) as PushAddress, JSON.stringify(message))
  await query(app, judgePost(posted, { claimed, token, now: app.clock.now() }))
}

async function postMessage(app: App, address: PushAddress, message: string): Promise<PostAttempt> {
  assertOutsideTransaction('a message to a device')
  const { headers, body } = await encryptMessage(app, address, message)
  const sent = Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      // The poster counts the bytes itself.
      name.toLowerCase() === 'content-length' ? [] : [[name, String(value)]],
    ),
  )
  return app.poster.post({ url: address.endpoint, body, headers: sent, keepAlive: true })
}

/** What is stored after an attempt: told, gone for ever, or to be tried again. */
function judgePost(posted: PostAttempt, record: Parameters<typeof recordMiss>[0]): Call {
  if (posted.kind !== 'answered') return recordMiss(record, null)
  if (posted.status >= 200 && posted.status < 300) return recordTold(record, true)
  if (GONE.includes(posted.status)) return forgetDevice(record)
  return recordMiss(record, parseRetryAfter(posted.retryAfter, record.now))
}

/** Parses a time to wait in ms, as seconds or as a date; null where there is none. */
function parseRetryAfter(text: string | undefined, now: Date): number | null {
  if (text === undefined) return null
  const seconds = /^\d{1,9}$/.test(text) ? Number(text) : (Date.parse(text) - now.getTime()) / 1000
  return Number.isFinite(seconds) && seconds > 0 ? Math.min(seconds, MAX_RETRY_AFTER_S) * 1000 : null
}
