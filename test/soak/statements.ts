import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { request } from 'undici'
import type { Emulator } from '../../emulator/emulator.ts'
import type { Installation } from '../crash/installation.ts'
import { misledReferences } from './misled.ts'
import { SIDES, type Side } from './troubles.ts'

/** One wallet of one contract, and when the operator's list of it begins. */
export type Wallet = { contract: 0 | 1; side: Side; from: Date }
type World = { installation: Installation; operators: readonly Emulator[] }
type Leg = { leg: string; looked_at: number; agreed: number }
const REPEATS = 5
const AWAY = /the database is away/
const NOTHING: Leg = { leg: 'statement', looked_at: 0, agreed: 0 }

/**
 * Imports what the operator has moved in this wallet until now, as staff do. Null where it has moved nothing. Throws when the
 * command fails.
 */
export async function importList({ installation, operators }: World, wallet: Wallet): Promise<Leg | null> {
  const { contract, side, from } = wallet
  const period = { from: from.toISOString(), to: installation.clock.now().toISOString() }
  const name = `contract-${contract} ${side} until ${period.to}`
  const query = new URLSearchParams({ ...period, side })
  const answer = await request(`${operators[contract]?.controlUrl}/statement.csv?${query}`)
  const list = await answer.body.text()
  if (list.trim().split('\n').length === 1) return null
  const file = join(installation.dataDir, '..', `${name}.csv`.replaceAll(/[ :]/g, '-'))
  writeFileSync(file, list)
  const told = ['--statement', file, '--installation', `contract-${contract}`]
  const spans = ['--from', period.from, '--to', period.to]
  const importing = () => installation.command(['reconcile', ...told, ...spans])
  let imported = await importing()
  // On a crowded machine a statement of it may take too long; staff repeat what says so.
  for (let again = 0; again < REPEATS && AWAY.test(imported.stderr); again += 1) imported = await importing()
  rmSync(file)
  const { code, json, stderr } = imported
  const leg: Leg | undefined = json?.legs.find((one: Leg) => one.leg === 'statement')
  // It ends with 1 when a critical exception is open, which is judged at the end of the run.
  if (leg === undefined) throw new Error(`${name}: reconcile ended with ${code}: ${stderr}`)
  return leg
}

/** How many lines are about payments of which an operator was told to speak wrong. */
function misledLines(operators: readonly Emulator[]): number {
  const misled = misledReferences(operators)
  const own = operators.flatMap((operator) => operator.transactions()).filter(({ reference }) => misled.has(reference))
  return own.reduce((lines, { moves }) => lines + moves, 0)
}

const OVERDUE = `select 1 from charges where follow_at < $1 and mode = 'live'
  union all select 1 from payouts where follow_at < $1 and mode = 'live'`
const LOOK_MS = 250
const LOOKS = 120

/** After a leap of the common clock everything is due at once; the workers take their time. */
async function untilNoneIsOverdue({ sql, clock }: Installation): Promise<void> {
  for (let look = 0; look < LOOKS; look += 1) {
    if ((await sql(OVERDUE, [new Date(clock.nowMs() - HOUR_MS).toISOString()])).length === 0) return
    await sleep(LOOK_MS)
  }
}

const HOUR_MS = 3_600_000
const MARGIN_MS = 3 * HOUR_MS

/** Every wallet's whole list, when all has ended. Answers the lists of which a line is no payment of ours. */
export async function importAll(world: World, from: Date): Promise<string[]> {
  // What happened in the last hours of a list may be in the next one.
  world.installation.advance(MARGIN_MS)
  await untilNoneIsOverdue(world.installation)
  const wrong: string[] = []
  for (const contract of [0, 1] as const)
    for (const side of SIDES) {
      const { looked_at: lines, agreed } = (await importList(world, { contract, side, from })) ?? NOTHING
      if (lines - agreed > misledLines(world.operators))
        wrong.push(`contract-${contract} ${side}: we agree with ${agreed} of ${lines} lines`)
    }
  return wrong
}
