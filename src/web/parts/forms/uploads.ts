import { Refusal } from '../../../platform/refusal.ts'
import { PARTS } from '../texts.ts'

/** The sender of a file. `confirmed`: the e-mail address of the account is proven. */
export type UploadSender = { personId: number; address: string; confirmed: boolean }

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
export type Uploads = { begin(sender: UploadSender): Upload }

type ReceivedFile = UploadSender & {
  isWhole: boolean
  floor: UploadPace
  wanted: UploadPace
  giveWay(refusal: Refusal): void
}
type UploadRate = { bytesASecond: number; patienceMs: number }
type UploadPace = { rate: UploadRate; untilMs: number }

// The time limit of an upload grows with the bytes that arrive; there is no fixed one. 10 MB may arrive at 8 KiB a second, in some 20
// minutes, and a phone may be without a signal for a minute.
const FLOOR_RATE: UploadRate = { bytesASecond: 8 * 1024, patienceMs: 60_000 }
// An upload that is slower than this is cut if its place is needed for another one.
const WANTED_RATE: UploadRate = { bytesASecond: 32 * 1024, patienceMs: 10_000 }
const CHECK_MS = 250
const RETRY_AFTER_SECONDS = 10

// A file has at most 10 MB, so all of them together fill some 500 MB of the disk. Many phones share one address of their operator.
const MAX_FILES = { ofOne: 3, ofUnconfirmedAtAddress: 4, ofUnconfirmed: 10, ofAddress: 20, ofAll: 40 }

/** The limits for each kind of sender. Unconfirmed accounts together cannot take all places. */
const FILE_LIMITS: { most: number; holds(received: UploadSender, sender: UploadSender): boolean }[] = [
  { most: MAX_FILES.ofOne, holds: (received, sender) => received.personId === sender.personId },
  {
    most: MAX_FILES.ofUnconfirmedAtAddress,
    holds: (received, sender) => !received.confirmed && !sender.confirmed && received.address === sender.address,
  },
  { most: MAX_FILES.ofUnconfirmed, holds: (received, sender) => !received.confirmed && !sender.confirmed },
  { most: MAX_FILES.ofAddress, holds: (received, sender) => received.address === sender.address },
  { most: MAX_FILES.ofAll, holds: () => true },
]

/** `elapsedMs`: a monotonic clock, which does not follow corrections of the time. */
export function newUploads(elapsedMs: () => number): Uploads {
  const receiving = new Set<ReceivedFile>()
  let watch: NodeJS.Timeout | undefined

  const cutSlow = () => {
    const nowMs = elapsedMs()
    for (const file of receiving) if (isLate(file, file.floor, nowMs)) file.giveWay(tooSlow())
  }
  const leave = (file: ReceivedFile) => {
    receiving.delete(file)
    if (receiving.size > 0) return
    clearInterval(watch)
    watch = undefined
  }
  return {
    begin(sender) {
      const nowMs = elapsedMs()
      for (const yielding of chooseFilesToCut([...receiving], sender, nowMs)) {
        yielding.giveWay(gaveWay())
        leave(yielding)
      }
      const { cut, giveWay } = newCut()
      const file: ReceivedFile = {
        ...sender,
        isWhole: false,
        floor: newPace(FLOOR_RATE, nowMs),
        wanted: newPace(WANTED_RATE, nowMs),
        giveWay,
      }
      receiving.add(file)
      watch ??= setInterval(cutSlow, CHECK_MS).unref()
      return {
        arrived(bytes) {
          for (const pace of [file.floor, file.wanted]) extendPace(pace, bytes, elapsedMs())
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
function chooseFilesToCut(receiving: readonly ReceivedFile[], sender: UploadSender, nowMs: number): ReceivedFile[] {
  const chosen: ReceivedFile[] = []
  for (const { most, holds } of FILE_LIMITS) {
    const competing = receiving.filter((file) => !chosen.includes(file) && holds(file, sender))
    if (competing.length < most) continue
    const slow = competing.filter((file) => isLate(file, file.wanted, nowMs) || yieldsTo(file, sender))
    const last = slow.sort((a, b) => a.wanted.untilMs - b.wanted.untilMs)[0]
    if (last === undefined)
      throw new Refusal(429, 'rate_limited', PARTS.errors.uploads, { retryAfterSeconds: RETRY_AFTER_SECONDS })
    chosen.push(last)
  }
  return chosen
}

/** Whether a file must yield to this sender: one of an unconfirmed account yields to a confirmed one. */
const yieldsTo = (receiving: ReceivedFile, sender: UploadSender) =>
  sender.confirmed && !receiving.confirmed && !receiving.isWhole

const isLate = (receiving: ReceivedFile, { untilMs }: UploadPace, nowMs: number) =>
  !receiving.isWhole && nowMs > untilMs

const newPace = (rate: UploadRate, nowMs: number): UploadPace => ({ rate, untilMs: nowMs + rate.patienceMs })

/**
 * Extends the time limit by the bytes that arrived, at the rate. It is never further away than the patience: a fast start does not pay for
 * a long silence.
 */
function extendPace(pace: UploadPace, bytes: number, nowMs: number): void {
  const bought = (bytes / pace.rate.bytesASecond) * 1000
  pace.untilMs = Math.min(nowMs + pace.rate.patienceMs, pace.untilMs + bought)
}

function newCut(): Pick<ReceivedFile, 'giveWay'> & Pick<Upload, 'cut'> {
  let giveWay: ReceivedFile['giveWay'] = () => {}
  const cut = new Promise<never>((_, reject) => {
    giveWay = reject
  })
  // Prevents an unhandled rejection while no caller awaits it.
  cut.catch(() => {})
  return { cut, giveWay }
}

// 400 and not 408, after which a browser sends the whole file once more by itself.
const tooSlow = () => new Refusal(400, 'bad_request', PARTS.errors.tooSlow)

const gaveWay = () => new Refusal(429, 'rate_limited', PARTS.errors.madeWay, { retryAfterSeconds: RETRY_AFTER_SECONDS })
