import { Refusal } from '../platform/refusal.ts'
import { PARTS } from './texts.ts'

/** The sender of a file. `confirmed`: the e-mail address of the account is proven. */
export type Sender = { personId: number; address: string; confirmed: boolean }

/** A file that is being received. */
export type Upload = {
  /** Reports that so many further bytes have arrived. */
  arrived(bytes: number): void
  /** Reports that the file is complete: from now on it waits for us, so it cannot be late. */
  whole(): void
  /** Rejects if the upload must stop: it is too slow, or it is slow and others need its place. */
  cut: Promise<never>
  /** Frees its place. */
  end(): void
}

/** The files that this process is receiving. Each is written to the disk, and read into memory only when it is complete. */
export type Uploads = { begin(sender: Sender): Upload }

type Receiving = Sender & { isWhole: boolean; floor: Pace; wanted: Pace; giveWay(refusal: Refusal): void }
type Rate = { bytesASecond: number; patienceMs: number }
type Pace = { rate: Rate; untilMs: number }

// The time limit of an upload grows with the bytes that arrive; there is no fixed one. 10 MB may arrive at 8 KiB a second, in some 20
// minutes, and a phone may be without a signal for a minute.
const FLOOR: Rate = { bytesASecond: 8 * 1024, patienceMs: 60_000 }
// An upload that is slower than this is cut if its place is needed for another one.
const WANTED: Rate = { bytesASecond: 32 * 1024, patienceMs: 10_000 }
const CHECK_MS = 250
const FREE_AGAIN_IN_S = 10

// A file has at most 10 MB, so all of them together fill some 500 MB of the disk. Many phones share one address of their operator.
const MOST = { ofOne: 3, ofUnconfirmedAtAddress: 4, ofUnconfirmed: 10, ofAddress: 20, ofAll: 40 }

/** The limits for each kind of sender. Unconfirmed accounts together cannot take all places. */
const BOUNDS: { most: number; holds(received: Sender, sender: Sender): boolean }[] = [
  { most: MOST.ofOne, holds: (received, sender) => received.personId === sender.personId },
  {
    most: MOST.ofUnconfirmedAtAddress,
    holds: (received, sender) =>
      !received.confirmed && !sender.confirmed && received.address === sender.address,
  },
  { most: MOST.ofUnconfirmed, holds: (received, sender) => !received.confirmed && !sender.confirmed },
  { most: MOST.ofAddress, holds: (received, sender) => received.address === sender.address },
  { most: MOST.ofAll, holds: () => true },
]

/** `elapsedMs`: a monotonic clock, which does not follow corrections of the time. */
export function uploads(elapsedMs: () => number): Uploads {
  const receiving = new Set<Receiving>()
  let watch: NodeJS.Timeout | undefined

  const cutSlow = () => {
    const nowMs = elapsedMs()
    for (const file of receiving) if (isLate(file, file.floor, nowMs)) file.giveWay(tooSlow())
  }
  const leave = (file: Receiving) => {
    receiving.delete(file)
    if (receiving.size > 0) return
    clearInterval(watch)
    watch = undefined
  }
  return {
    begin(sender) {
      const nowMs = elapsedMs()
      for (const yielding of whoGivesWay([...receiving], sender, nowMs)) {
        yielding.giveWay(madeWay())
        leave(yielding)
      }
      const { cut, giveWay } = cutter()
      const file: Receiving = {
        ...sender,
        isWhole: false,
        floor: paceFrom(FLOOR, nowMs),
        wanted: paceFrom(WANTED, nowMs),
        giveWay,
      }
      receiving.add(file)
      watch ??= setInterval(cutSlow, CHECK_MS).unref()
      return {
        arrived(bytes) {
          for (const pace of [file.floor, file.wanted]) goOn(pace, bytes, elapsedMs())
        },
        whole() {
          file.isWhole = true
        },
        cut,
        end: () => leave(file),
      }
    },
  }
}

/** Chooses the files to cut so that a new sender has a place; none if there is room. Throws 429 if no file may be cut. */
function whoGivesWay(receiving: readonly Receiving[], sender: Sender, nowMs: number): Receiving[] {
  const chosen: Receiving[] = []
  for (const { most, holds } of BOUNDS) {
    const competing = receiving.filter((file) => !chosen.includes(file) && holds(file, sender))
    if (competing.length < most) continue
    const slow = competing.filter((file) => isLate(file, file.wanted, nowMs) || isBehind(file, sender))
    const last = slow.sort((a, b) => a.wanted.untilMs - b.wanted.untilMs)[0]
    if (last === undefined)
      throw new Refusal(429, 'rate_limited', PARTS.errors.uploads, { retryAfterSeconds: FREE_AGAIN_IN_S })
    chosen.push(last)
  }
  return chosen
}

/** Whether a file must yield to this sender: one of an unconfirmed account yields to a confirmed one. */
const isBehind = (receiving: Receiving, sender: Sender) =>
  sender.confirmed && !receiving.confirmed && !receiving.isWhole

const isLate = (receiving: Receiving, { untilMs }: Pace, nowMs: number) =>
  !receiving.isWhole && nowMs > untilMs

const paceFrom = (rate: Rate, nowMs: number): Pace => ({ rate, untilMs: nowMs + rate.patienceMs })

/**
 * Extends the time limit by the bytes that arrived, at the rate. It is never further away than the patience: a fast start does not pay for
 * a long silence.
 */
function goOn(pace: Pace, bytes: number, nowMs: number): void {
  const bought = (bytes / pace.rate.bytesASecond) * 1000
  pace.untilMs = Math.min(nowMs + pace.rate.patienceMs, pace.untilMs + bought)
}

function cutter(): Pick<Receiving, 'giveWay'> & Pick<Upload, 'cut'> {
  let giveWay: Receiving['giveWay'] = () => {}
  const cut = new Promise<never>((_, reject) => {
    giveWay = reject
  })
  // Prevents an unhandled rejection while no caller awaits it.
  cut.catch(() => {})
  return { cut, giveWay }
}

// 400 and not 408, after which a browser sends the whole file once more by itself.
const tooSlow = () => new Refusal(400, 'bad_request', PARTS.errors.tooSlow)

const madeWay = () =>
  new Refusal(429, 'rate_limited', PARTS.errors.madeWay, { retryAfterSeconds: FREE_AGAIN_IN_S })
