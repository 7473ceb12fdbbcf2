import { csvOf, movedLine } from '../../helpers/payments/operator-statements.ts'
import { type Browser, formOf } from '../../helpers/web/browser.ts'
import type { PlantedOperator } from '../../helpers/web/console.ts'
import { sendFiles } from '../../helpers/web/sending-files.ts'
import { aboutSubject, type ImportState, importState } from '../judge/judge-statements.ts'
import { operatorIn } from '../operators.ts'
import { paidCharges } from '../paid-charges.ts'
import { serving, victim } from '../serving.ts'
import { killedBy, untilThere } from '../victims.ts'
import type { World } from '../world.ts'

const UPLOADS = '/console/reconciliation/import'
const HOUR_MS = 3_600_000
// None of our payments is of that time: these files lack nothing.
const LONG_AGO_MS = 30 * 24 * HOUR_MS
// After this and a restart the lease of a dead worker is over.
const LEASE_MS = 120_000
const NOT_OURS = 900

/** A worker dies while it imports a statement; the next one goes on with it, and it has come in once. */
export const whileImporting = (world: World, crashPoint: string): Promise<string[]> =>
  dieOverStatement(world, { whileImporting: crashPoint, whileTakingBack: null })

/** A worker dies while it takes back what an import has brought; the next one takes back the rest, once. */
export const whileTakingBack = (world: World, crashPoint: string): Promise<string[]> =>
  dieOverStatement(world, { whileImporting: null, whileTakingBack: crashPoint })

type Deaths = { whileImporting: string | null; whileTakingBack: string | null }
type Charge = { id: string; amount: number; number: string }

/**
 * Two files list one payment with another amount, and the second one more and a payment of nobody. The second is imported and taken
 * back, and a worker dies over one of that; then the first is taken back, and nothing is left of both.
 */
async function dieOverStatement(world: World, deaths: Deaths): Promise<string[]> {
  const charges = await paidCharges<Charge>(world, {
    ...{ merchant: world.live, mode: 'live', count: 2, where: 'c.amount > c.gift_card_amount' },
    columns: '(c.amount - c.gift_card_amount)::int as amount, c.id, c.rail_transaction_id as number',
  })
  await serving(world, 'with live rail')
  const [anna, ben] = [await operatorIn(world), await operatorIn(world)]
  const { first, second, subjects } = filesAbout(world, charges)
  const ids = [await lookedAt(world, anna, first), await lookedAt(world, anna, second)] as const
  const judge = judgeOf(world, { ids, subjects, by: ben.email })
  await importNow(world, { by: anna, id: ids[0], crashPoint: null })
  const importing = await importNow(world, { by: anna, id: ids[1], crashPoint: deaths.whileImporting })
  importing.push(...(await judge('imported')))
  const taking = await takeBack(world, { anna, ben, id: ids[1], crashPoint: deaths.whileTakingBack })
  taking.push(...(await judge('taken back')))
  await takeBack(world, { anna, ben, id: ids[0], crashPoint: null })
  return [...importing, ...taking, ...(await judge('both taken back'))]
}

/** The lines of the first file are in the second one too. */
function filesAbout({ installation }: World, [shared, own]: readonly Charge[]) {
  const now = installation.clock.nowMs() - LONG_AGO_MS
  const nobody = `nobody at ${now}`
  const around = [-3, 3].map((hours, nth) =>
    movedLine(String(nth + 1), '', 1, new Date(now + hours * HOUR_MS), 'other'),
  )
  const about = (charge?: Charge) =>
    movedLine(charge?.number ?? '', charge?.id ?? '', (charge?.amount ?? 0) + 1, new Date(now))
  const first = [...around, about(shared)]
  return {
    first,
    second: [...first, about(own), movedLine('13', nobody, NOT_OURS, new Date(now))],
    subjects: [shared?.id ?? '', own?.id ?? '', nobody] as const,
  }
}

async function lookedAt(world: World, by: Browser, lines: readonly string[]): Promise<string> {
  const { action, fields } = formOf(await by.get(UPLOADS), '/import')
  const file = { name: `${lines.length} lines ${world.installation.clock.nowMs()}.csv`, bytes: csvOf(lines) }
  const sent = await sendFiles(by, action, { fields, files: [file], field: 'statement' })
  const [, id = ''] = /(stf_[a-z0-9]+)/.exec(sent.location) ?? []
  if (id === '') throw new Error(`a statement was refused: ${sent.status} ${sent.text}`)
  const looked = `select 1 from directory.statement_files where id = $1 and looked_at is not null`
  await untilThere('the file is looked at', async () => (await world.installation.sql(looked, [id]))[0])
  return id
}

type Work = { id: string; crashPoint: string | null }

async function importNow(world: World, { by, id, crashPoint }: Work & { by: Browser }): Promise<string[]> {
  const page = await by.get(`${UPLOADS}/${id}`)
  return through(world, { id, crashPoint, state: 'imported' }, () => by.send(page, '/import'))
}

type Pair = { anna: PlantedOperator; ben: PlantedOperator }

async function takeBack(world: World, { anna, ben, id, crashPoint }: Work & Pair): Promise<string[]> {
  const asked = await anna.send(await anna.get(`${UPLOADS}/${id}`), '/take-back', { reason: 'a test' })
  const page = await ben.get(asked.location)
  return through(world, { id, crashPoint, state: 'taken back' }, () => ben.send(page, '/approve'))
}

/** Asks for it, and waits until a worker has done it: where there is a point, the one after that which dies there. */
async function through(
  world: World,
  { id, crashPoint, state }: Work & { state: ImportState['state'] },
  ask: () => Promise<unknown>,
): Promise<string[]> {
  const isDone = async () => ((await importState(world, id)).state === state ? true : null)
  const wrong: string[] = []
  if (crashPoint === null) await ask()
  else {
    const running = await victim(world, 'with live rail', crashPoint)
    wrong.push(...(await killedBy(running, crashPoint, [ask().catch(() => null)])))
    if (await isDone()) wrong.push(`${state} before the kill`)
    world.installation.advance(LEASE_MS)
    await serving(world, 'with live rail')
  }
  await untilThere(`${id} is ${state}`, isDone)
  return wrong
}

const OPEN = { open: 1, counted: true, closed: 0 }
const CLOSED = { open: 0, counted: true, closed: 1 }
const NOTHING = { lines: 0, twice: 0, covers: 0, findings: 0 }
const IMPORTED = { 'statement.import': 2 }
const TAKEN_BACK = { ...IMPORTED, 'statement.take-back': 1 }
const FIRST = { lines: 3, twice: 0, covers: 1, findings: 1, runs: [1], opened: 1 }
const SECOND = { lines: 5, twice: 0, covers: 1, findings: 3, runs: [2], opened: 2 }
const MUST = {
  imported: {
    first: { state: 'imported', ...FIRST, acts: IMPORTED },
    second: { state: 'imported', ...SECOND, acts: IMPORTED },
    about: [OPEN, OPEN, OPEN],
    paused: true,
  },
  // What the first says too stands on it now.
  'taken back': {
    first: { state: 'imported', ...FIRST, acts: IMPORTED },
    second: { state: 'taken back', ...SECOND, ...NOTHING, acts: TAKEN_BACK },
    about: [OPEN, CLOSED, CLOSED],
    paused: true,
  },
  'both taken back': {
    first: { state: 'taken back', ...FIRST, ...NOTHING, acts: TAKEN_BACK },
    second: { state: 'taken back', ...SECOND, ...NOTHING, acts: TAKEN_BACK },
    about: [CLOSED, CLOSED, CLOSED],
    paused: false,
  },
}
const PAUSED = `select h.payouts_paused_by is not null as paused from ledger_heads h join merchants m on m.id = h.merchant_id
  where m.handle = $1 and h.mode = 'live'`

type Judged = { ids: readonly [string, string]; subjects: readonly [string, string, string]; by: string }

/** The first subject is in both files: it is closed with the first, the others with the second. */
function judgeOf(world: World, { ids, subjects, by }: Judged) {
  return async (when: keyof typeof MUST): Promise<string[]> => {
    const [shared, ...own] = subjects
    const [first, second] = [await importState(world, ids[0]), await importState(world, ids[1])]
    const about = [await aboutSubject(world, shared, { id: ids[0], by })]
    for (const subject of own) about.push(await aboutSubject(world, subject, { id: ids[1], by }))
    const [head] = await world.installation.sql(PAUSED, [world.live.handle])
    const is = JSON.stringify({ first, second, about, paused: head?.paused })
    const must = JSON.stringify(MUST[when])
    return is === must ? [] : [`${when}: ${is} instead of ${must}`]
  }
}
