import { checkerState } from '../../../payments/payouts/prepared/set-checker-rule.ts'
import { Note } from '../../parts/parts.tsx'
import { formatShillings } from '../../parts/wording.ts'
import type { DashboardVisit } from '../visit.ts'

/** Reads above which amount (whole UGX) a second person must approve money out; null in test mode, and without such a rule. */
export const readCheckerAmount = async ({ app, caller, mode }: DashboardVisit): Promise<number | null> =>
  mode === 'test' ? null : (await checkerState(app, caller)).above

type SecondPersonNoteProps = {
  /** Whether this person may send without another one. */
  maySendAlone: boolean
  /** Null while no amount is typed yet: then the rule is told. */
  amount: number | null
  above: number | null
  texts: { accountant: string; alone(limit: string): string }
}

/** Says before money is sent that another person must approve it: always for an accountant, else above the amount of the rule. */
export function SecondPersonNote({ maySendAlone, amount, above, texts }: SecondPersonNoteProps) {
  if (!maySendAlone) return <Note>{texts.accountant}</Note>
  if (above === null || (amount !== null && amount <= above)) return null
  return <Note>{texts.alone(formatShillings(above))}</Note>
}
