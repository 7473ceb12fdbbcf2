import type { Emulator } from '../../emulator/emulator.ts'
import type { Installation } from '../crash/installation.ts'
import { judgePauses } from './judge-pauses.ts'
import { misledReferences } from './misled.ts'
import { SIDES, type Side } from './troubles.ts'

/** What a soak found: each list names the movements that break a promise. */
export type Judgement = {
  movements: number
  succeeded: number
  failed: number
  open: number
  doubled: string[]
  /** Moved at the operator, and we say something else or have not heard. */
  lost: string[]
  falselyFailed: string[]
  /** We say that it moved, and it did not. */
  invented: string[]
  /** Wallets against the sums of our ledger. */
  wallets: string[]
  /** Called wrong or stopped, with no fault of their own. */
  paused: string[]
  /** The operator contradicted itself about them, and nobody was called. */
  unnoticed: string[]
  /** The operator's lists of which a line is no payment of ours. */
  lists: string[]
  /** Posted long after they were marked. */
  surprises: string[]
  /** Still open hours after the last request. */
  late: string[]
  /** Invariants that do not hold. */
  broken: string[]
}
type Books = Omit<Judgement, 'lists' | 'surprises' | 'late' | 'broken'>

type Ours = { id: string; reference: string; status: string; voided: boolean; amount: string; side: Side }

const MOVEMENTS = `
  select id, rail_reference as reference, status, voided_at is not null as voided, amount - gift_card_amount as amount,
    'collection' as side from charges where mode = 'live' and rail_reference is not null
  union all select id, rail_reference, status, voided_at is not null, amount, 'disbursement' from payouts where mode = 'live'`

/** Our books against what the operators really moved, reference by reference and wallet by wallet (rails.md 6.2). */
export async function judgeSoak(
  installation: Installation,
  operators: readonly Emulator[],
  openings: Record<string, number>,
): Promise<Books> {
  const moved = new Map<string, { moves: number; status: string }>()
  for (const operator of operators)
    for (const [reference, { moves, status }] of Object.entries(operator.oracle().references)) {
      const before = moved.get(reference)
      moved.set(reference, {
        moves: moves + (before?.moves ?? 0),
        status: before?.moves ? before.status : status,
      })
    }
  const misled = misledReferences(operators)
  const found: Books = {
    ...{ movements: 0, succeeded: 0, failed: 0, open: 0, doubled: [], lost: [], falselyFailed: [] },
    ...{ invented: [], wallets: [], ...(await judgePauses(installation, misled)) },
  }
  const sums = { collection: 0, disbursement: 0 }
  for (const own of await installation.sql<Ours>(MOVEMENTS)) {
    const theirs = moved.get(own.reference)
    // What really moved must be in the wallets, whatever we were told.
    if (misled.has(own.reference)) sums[own.side] += (theirs?.moves ?? 0) * Number(own.amount)
    else judgeOne(found, own, theirs, sums)
  }
  for (const wallet of SIDES) {
    const held = operators.reduce((sum, operator) => sum + (operator.wallets()[wallet] ?? 0), 0)
    const expected = (openings[wallet] ?? 0) + (wallet === 'collection' ? sums.collection : -sums.disbursement)
    if (held !== expected) found.wallets.push(`${wallet}: the operator holds ${held}, our ledger says ${expected}`)
  }
  return found
}

function judgeOne(
  found: Books,
  own: Ours,
  theirs: { moves: number; status: string } | undefined,
  sums: { collection: number; disbursement: number },
): void {
  const moves = theirs?.moves ?? 0
  const says = own.voided ? 'void' : own.status
  found.movements += 1
  if (moves > 1) found.doubled.push(own.id)
  if (says === 'succeeded' || says === 'refunded') {
    found.succeeded += 1
    sums[own.side] += Number(own.amount)
    if (moves === 0) found.invented.push(own.id)
    return
  }
  if (says === 'failed' || says === 'void') {
    found.failed += 1
    if (moves > 0) found.falselyFailed.push(own.id)
    return
  }
  found.open += 1
  // What the operator has ended must have reached us by now; what it never had may stay open for ever.
  if (moves > 0 || theirs?.status === 'FAILED')
    found.lost.push(`${own.id} ${own.status}, and the operator says ${theirs?.status}`)
}

/** Every list is a list of faults. */
export const isCleanSoak = (found: Judgement): boolean =>
  Object.values(found).every((value) => !Array.isArray(value) || value.length === 0)
