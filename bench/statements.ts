import { get } from 'node:http'
import { checkpointLedgers } from '../src/ledger/checkpoints.ts'
import type { Database } from '../src/platform/db/database.ts'
import { FROM_THE_BEGINNING } from './chunks.ts'
import { median, ratio, rounded } from './figures.ts'
import { writeRecords } from './history.ts'
import { memoryMb, peakMemoryMb } from './processes.ts'
import type { BenchMerchant, Stage } from './stage.ts'
import { LINES_A_HUNDRED, writeBusyMonth } from './statement-history.ts'

const LOOK_EVERY_MS = 10
const TIMES = 3
const WARMING = 20
const CHARGES = { connections: 32, perSecond: 200 }
const CHARGES_MS = { warm: 3000, measured: 6000 }
const MONTH = `date_trunc('month', now() at time zone 'Africa/Kampala') - interval '3 months'`
const PERIOD = `select to_char(month, 'YYYY-MM') as name, month at time zone 'Africa/Kampala' as start,
    (month + interval '1 month') at time zone 'Africa/Kampala' as end from (select ${MONTH} as month) m`

/**
 * The statement of a month with very many lines as JSON: seconds until its last byte, and by how much the service's memory
 * grew beyond what it held before. The service starts anew each time, so that no earlier one has left room.
 */
export async function measureStatement(stage: Stage, merchant: BenchMerchant, wanted: number) {
  const path = `/v1/statements/${await writeMonth(stage, merchant, wanted)}`
  const rounds: { seconds: number; bytes: number; extraMb: number | null }[] = []
  while (rounds.length < TIMES) {
    await stage.restart()
    await warm(stage, path)
    rounds.push(await readOnce(stage, path, merchant))
  }
  const worst = (of: (round: (typeof rounds)[0]) => number | null) =>
    Math.max(...rounds.map((round) => of(round) ?? Number.NaN))
  const lines = await countLines(stage, path, { merchant, bytes: rounds.map(({ bytes }) => bytes) })
  const { without, beside, slowdown, turns, secondsBeside } = await besideCharges(stage, path, merchant)
  const figures = {
    lines,
    mb: rounded((rounds[0]?.bytes ?? 0) / 1024 ** 2, 1),
    p50_seconds: rounded(median(rounds.map((round) => round.seconds))),
    worst_seconds: rounded(worst((round) => round.seconds)),
    worst_extra_mb: rounded(
      worst((round) => round.extraMb),
      1,
    ),
    seconds_beside_charges: rounded(secondsBeside),
    charge_p99_without_ms: rounded(without),
    charge_p99_beside_ms: rounded(beside),
    charge_p99_beside_vs_without: rounded(slowdown, 2),
    charge_p99_turns_ms: turns.map((turn) => [rounded(turn.without), rounded(turn.beside)]),
  }
  stage.say(`a statement of ${lines} lines in ${figures.p50_seconds} s, ${figures.worst_extra_mb} MB more`)
  stage.say(
    `charges p99 ${figures.charge_p99_without_ms} ms, beside it ${figures.charge_p99_beside_ms} ms (${figures.seconds_beside_charges} s)`,
  )
  return figures
}

/** Writes a month of so many lines with all that `verify` asks of it. Answers its name. */
async function writeMonth({ db, say }: Stage, merchant: BenchMerchant, lines: number): Promise<string> {
  const startedAt = performance.now()
  const { name, start, end } = (await db.query(PERIOD)).rows[0]
  await writeBusyMonth(db, { merchant, start, end, items: Math.ceil((lines * 100) / LINES_A_HUNDRED) })
  await writeRecords(db, { merchant, since: FROM_THE_BEGINNING })
  // On this connection, because a statement this long exceeds the time limit of the service's own.
  const query: Database['query'] = async ({ text }, values = []) => (await db.query(text, values)).rows
  const now = new Date(performance.timeOrigin + performance.now())
  // A real ledger has them all: they are made while payments come in. A run takes each ledger on by one step.
  while ((await checkpointLedgers({ query } as Database, now)) > 0);
  await db.query('vacuum analyze')
  // Otherwise the writing of all this to the disk would fall into what is measured.
  await db.query('checkpoint')
  say(`a month of ${lines} lines written in ${Math.round((performance.now() - startedAt) / 1000)} s`)
  return name
}

/** The same month of merchants without payments, so that the cost of any first statement is not counted as that of a long one. */
async function warm({ driver, service, merchants }: Stage, path: string): Promise<void> {
  const tokens = merchants.map((merchant) => merchant.token)
  const load = await driver.run({ port: service.port, connections: 1, tokens, requests: WARMING, path })
  if (load.refusal !== null) throw new Error(`GET ${path} was refused: ${load.refusal}`)
}

async function readOnce({ service }: Stage, path: string, { token }: BenchMerchant) {
  const before = memoryMb(service.pid)
  const peakBefore = peakMemoryMb(service.pid)
  let most = before
  const looking = setInterval(() => {
    most = Math.max(most ?? 0, memoryMb(service.pid) ?? 0) || null
  }, LOOK_EVERY_MS)
  const startedAt = performance.now()
  const bytes = await download(service.port, path, token)
  const seconds = (performance.now() - startedAt) / 1000
  clearInterval(looking)
  // A peak between two measurements is seen only if it was the highest since the process started.
  const peak = peakMemoryMb(service.pid)
  if (peak !== null && peakBefore !== null && peak > peakBefore) most = Math.max(most ?? 0, peak)
  const extraMb = before === null || most === null ? null : most - before
  return { seconds, bytes, extraMb }
}

/** How many lines a statement has that came as so many bytes each time. Counting takes half a second, so it has a download of its own. */
async function countLines(
  { service }: Stage,
  path: string,
  { merchant, bytes }: { merchant: BenchMerchant; bytes: readonly number[] },
): Promise<number> {
  const counter = lineCounter()
  const counted = await download(service.port, path, merchant.token, counter.add)
  if (bytes.some((others) => others !== counted)) throw new Error('a finished month came in two lengths')
  return counter.lines()
}

/**
 * Charges of other merchants, alone and while statements are made one after the other, in turns. The medians: one pause of the machine for
 * a tenth of a second holds up more than a hundredth of the charges of one turn.
 */
async function besideCharges(stage: Stage, path: string, { token }: BenchMerchant) {
  await stage.restart()
  const { service, driver } = stage
  const tokens = stage.merchants.map((merchant) => merchant.token)
  const charge = async (ms: number) => {
    const load = await driver.run({ ...CHARGES, port: service.port, tokens, ms })
    if (load.refusal !== null) throw new Error(`a charge was refused: ${load.refusal}`)
    return load.p99Ms
  }
  await charge(CHARGES_MS.warm)
  const turns: { without: number | null; beside: number | null; seconds: number | null }[] = []
  while (turns.length < TIMES) {
    const without = await charge(CHARGES_MS.measured)
    let charging = true
    const charged = charge(CHARGES_MS.measured).finally(() => {
      charging = false
    })
    const seconds: number[] = []
    while (charging) {
      const startedAt = performance.now()
      await download(service.port, path, token)
      seconds.push((performance.now() - startedAt) / 1000)
    }
    turns.push({ without, beside: await charged, seconds: median(seconds) })
  }
  return {
    turns,
    without: median(turns.map((turn) => turn.without)),
    beside: median(turns.map((turn) => turn.beside)),
    slowdown: median(turns.map((turn) => ratio(turn.beside, turn.without))),
    secondsBeside: median(turns.map((turn) => turn.seconds)),
  }
}

/** Reads to the end and keeps nothing. Answers the number of bytes. */
function download(
  port: number,
  path: string,
  token: string,
  look: (piece: Buffer) => void = () => {},
): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}` }
    const request = get({ host: '127.0.0.1', port, path, headers, agent: false }, (response) => {
      let bytes = 0
      response.on('data', (piece: Buffer) => {
        bytes += piece.length
        look(piece)
      })
      response.on('error', reject)
      response.on('end', () => {
        if (response.statusCode === 200) resolve(bytes)
        else reject(new Error(`GET ${path} was answered with ${response.statusCode}`))
      })
    })
    request.on('error', reject)
  })
}

/** Counts lines: each line of a statement has one `"date":`. */
function lineCounter() {
  const mark = Buffer.from('"date":')
  let lines = 0
  let rest: Buffer = Buffer.alloc(0)
  return {
    add(chunk: Buffer) {
      const text = Buffer.concat([rest, chunk])
      for (let at = text.indexOf(mark); at >= 0; at = text.indexOf(mark, at + mark.length)) lines += 1
      // A mark may be split over two pieces. What is kept for the next piece is shorter than a whole mark.
      rest = text.subarray(Math.max(0, text.length - mark.length + 1))
    },
    lines: () => lines,
  }
}
