import type { Caller } from '../../api/access/actor.ts'
import { type DocumentStream, ReaderGone } from '../../api/http/answer.ts'
import type { MailFile } from '../../merchants/mails/post-office.ts'
import { timeLimit } from '../../platform/time/time-limit.ts'
import type { App } from '../../program/app.ts'
import { LEDGER_FILE_TYPES, type LedgerFile, streamLedger } from '../ledger/export-ledger.ts'
import { countTransfers } from '../report-turn.ts'
import type { StatementPeriod } from '../statement/period.ts'
import { CHANNEL_NAMES } from '../words/channels.ts'
import { LEDGER_WORDS } from '../words/ledger.ts'

// Many mail servers take no more than ten megabytes, and a mail is a third longer than its files.
const MAX_BYTES = 5 * 1024 * 1024
// So many fill some five megabytes as CSV. More are not even begun.
const MAX_TRANSFERS = 30_000
// Beside payments a report rests after each question, so a long one may take a while.
const MAX_MS = 60_000

const WORDS = { ...LEDGER_WORDS, channels: CHANNEL_NAMES }
// Excel's come first: if not all fit, people miss the others less.
const FILES: readonly (Pick<LedgerFile, 'accounts' | 'kind'> & { name: string })[] = [
  { name: 'statement', accounts: ['available', 'pending'], kind: 'xlsx' },
  { name: 'wallet', accounts: ['available'], kind: 'xlsx' },
  { name: 'statement', accounts: ['available', 'pending'], kind: 'csv' },
  { name: 'wallet', accounts: ['available'], kind: 'csv' },
]

/** The files of a month that one mail can carry, and the names of those that do not fit. */
export type MonthFiles = { files: MailFile[]; left: string[] }

/** Makes the statement (available and pending) and the ledger of the wallet (available) of a month, each for Excel and as CSV. */
export async function makeMonthFiles(
  app: App,
  caller: Caller,
  { period, handle }: { period: StatementPeriod; handle: string },
): Promise<MonthFiles> {
  const made: MonthFiles = { files: [], left: [] }
  const isLong = (await countTransfers(app, caller, period)) > MAX_TRANSFERS
  const late = timeLimit(MAX_MS)
  let room = MAX_BYTES
  for (const { name: what, accounts, kind } of FILES) {
    const name = `${what}-${handle}-${period.name}.${kind}`
    const stream = isLong ? null : streamLedger(app, caller, { period, accounts, kind, words: WORDS })
    const bytes = stream === null ? null : await collect(stream, { room, late })
    if (bytes === null) made.left.push(name)
    else {
      made.files.push({ name, type: LEDGER_FILE_TYPES[kind], bytes })
      room -= bytes.length
    }
  }
  return made
}

/** Collects a file; null if it needs more room, or more time. */
async function collect(
  stream: DocumentStream,
  { room, late }: { room: number; late: AbortSignal },
): Promise<Buffer | null> {
  const pieces: Buffer[] = []
  let length = 0
  const write = async (piece: string | Uint8Array) => {
    const bytes = Buffer.from(piece as string)
    length += bytes.length
    if (length > room || late.aborted) throw new ReaderGone()
    pieces.push(bytes)
  }
  try {
    await stream.write({ isGone: () => late.aborted, write })
    return Buffer.concat(pieces)
  } catch (error) {
    if (error instanceof ReaderGone) return null
    throw error
  } finally {
    stream.done?.()
  }
}
