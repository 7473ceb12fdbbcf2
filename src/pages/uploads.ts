import { Refusal } from '../platform/refusal.ts'
import { PARTS } from './texts.ts'

/** Who sends a file. `confirmed`: the address of the account is proven. */
export type Sender = { personId: number; address: string; confirmed: boolean }

/** A file that is on its way. */
export type Upload = {
  /** So many bytes more have come. */
  arrived(bytes: number): void
  /** All of it is there: from now on it waits for us. */
  whole(): void
  /** Rejects when the sender has to go: too slow, or slow where others wait. */
  cut: Promise<never>
  /** Its place is free again. */
  end(): void
}

/** The files that this process is receiving: each is on the disk, and none takes a place in memory before it is whole. */
export type Uploads = { begin(sender: Sender): Upload }

type Receiving = Sender & { isWhole: boolean; floor: Pace; wanted: Pace; giveWay(refusal: Refusal): void }
type Rate = { bytesASecond: number; patienceMs: number }
type Pace = { rate: Rate; untilMs: number }

// How long somebody may take follows from what has come, never from a time of its own: 10 MB may come over a line of 8 KiB a second, in
// some 20 minutes, and a phone may be without a signal for a minute.
const FLOOR: Rate = { bytesASecond: 8 * 1024, patienceMs: 60_000 }
// Who is slower than this gives way where there is no place for somebody else.
const WANTED: Rate = { bytesASecond: 32 * 1024, patienceMs: 10_000 }
const CHECK_MS = 250
const FREE_AGAIN_IN_S = 10

// The longest file has 10 MB: so many fill some 500 MB of the disk. Many phones share one address of their operator.
const MOST = { ofOne: 3, ofUnconfirmedAtAddress: 4, ofUnconfirmed: 10, ofAddress: 20, ofAll: 40 }

/** Room is kept for senders of each kind: what unconfirmed accounts send at once never fills it. */
const BOUNDS: { most: number; holds(one: Sender, other: Sender): boolean }[] = [
  { most: MOST.ofOne, holds: (sender, other) => sender.personId === other.personId },
  {
    most: MOST.ofUnconfirmedAtAddress,
    holds: (sender, other) => !sender.confirmed && !other.confirmed && sender.address === other.address,
  },
  { most: MOST.ofUnconfirmed, holds: (sender, other) => !sender.confirmed && !other.confirmed },
  { most: MOST.ofAddress, holds: (sender, other) => sender.address === other.address },
  { most: MOST.ofAll, holds: () => true },
]

/** `elapsedMs`: time as it passes, whatever becomes of the clock. */
export function uploads(elapsedMs: () => number): Uploads {
  const receiving = new Set<Receiving>()
  let watch: NodeJS.Timeout | undefined

  const cutSlow = () => {
    const nowMs = elapsedMs()
    for (const one of receiving) if (isLate(one, one.floor, nowMs)) one.giveWay(tooSlow())
  }
  const leave = (one: Receiving) => {
    receiving.delete(one)
    if (receiving.size > 0) return
    clearInterval(watch)
    watch = undefined
  }
  return {
    begin(sender) {
      const nowMs = elapsedMs()
      for (const one of whoGivesWay([...receiving], sender, nowMs)) {
        one.giveWay(madeWay())
        leave(one)
      }
      const { cut, giveWay } = cutter()
      const one: Receiving = {
        ...sender,
        isWhole: false,
        floor: paceFrom(FLOOR, nowMs),
        wanted: paceFrom(WANTED, nowMs),
        giveWay,
      }
      receiving.add(one)
      watch ??= setInterval(cutSlow, CHECK_MS).unref()
      return {
        arrived(bytes) {
          for (const pace of [one.floor, one.wanted]) goOn(pace, bytes, elapsedMs())
        },
        whole() {
          one.isWhole = true
        },
        cut,
        end: () => leave(one),
      }
    },
  }
}

/** Those in whose places a new sender comes, none where there is room. Throws 429 where nobody has to give way. */
function whoGivesWay(receiving: readonly Receiving[], sender: Sender, nowMs: number): Receiving[] {
  const going: Receiving[] = []
  for (const { most, holds } of BOUNDS) {
    const here = receiving.filter((receiving) => !going.includes(receiving) && holds(receiving, sender))
    if (here.length < most) continue
    const slow = here.filter(
      (receiving) => isLate(receiving, receiving.wanted, nowMs) || isBehind(receiving, sender),
    )
    const last = slow.sort((a, b) => a.wanted.untilMs - b.wanted.untilMs)[0]
    if (last === undefined)
      throw new Refusal(429, 'rate_limited', PARTS.errors.uploads, { retryAfterSeconds: FREE_AGAIN_IN_S })
    going.push(last)
  }
  return going
}

/** An account that has proven its address comes before one that has not. */
const isBehind = (receiving: Receiving, sender: Sender) =>
  sender.confirmed && !receiving.confirmed && !receiving.isWhole

const isLate = (receiving: Receiving, { untilMs }: Pace, nowMs: number) =>
  !receiving.isWhole && nowMs > untilMs

const paceFrom = (rate: Rate, nowMs: number): Pace => ({ rate, untilMs: nowMs + rate.patienceMs })

/** What comes buys time at its rate, and no more of it than the patience at once: a fast beginning does not pay for a long silence. */
function goOn(pace: Pace, bytes: number, nowMs: number): void {
  const bought = (bytes / pace.rate.bytesASecond) * 1000
  pace.untilMs = Math.min(nowMs + pace.rate.patienceMs, pace.untilMs + bought)
}

function cutter(): Pick<Receiving, 'giveWay'> & Pick<Upload, 'cut'> {
  let giveWay: Receiving['giveWay'] = () => {}
  const cut = new Promise<never>((_, reject) => {
    giveWay = reject
  })
  // Nobody may be waiting for it yet, or any more.
  cut.catch(() => {})
  return { cut, giveWay }
}

// 400 and not 408, after which a browser sends the whole file once more by itself.
const tooSlow = () => new Refusal(400, 'bad_request', PARTS.errors.tooSlow)

const madeWay = () =>
  new Refusal(429, 'rate_limited', PARTS.errors.madeWay, { retryAfterSeconds: FREE_AGAIN_IN_S })
