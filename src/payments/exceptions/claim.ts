import type { Break } from './exception.ts'

/**
 * Makes the claim of the operator that our books contradict. It has one form however it arrives: in an answer, a late answer or a line of
 * a statement. The same claim is the same evidence (rails.md 5.4). Migration 0078 wrote claims of this form for the older exceptions.
 */
export function makeClaim({ kind, details }: Pick<Break, 'kind' | 'details'>): Record<string, unknown> {
  const { rail_said: said, we_say: ours, differs } = details
  switch (kind) {
    case 'late_contradiction':
      return { rail_said: said }
    case 'ours_only':
      return { rail_said: 'nothing' }
    case 'rail_only':
      return ours === 'nothing' ? makeLineClaim(details) : { rail_said: 'succeeded' }
    case 'mismatch':
      if (typeof differs === 'object') return { ...differs }
      return ours === said ? { side: details.side } : { amount: said }
    case 'other_number':
      return { number: said }
    case 'doubled_by_rail':
    case 'ledger_breach':
    case 'contradictory_answer':
      return details
    // Two claims, so that each is opened even while the other one is open.
    case 'unresolved':
    case 'never_arrived':
      return { kind, ...details }
  }
}

/** Makes the claim of a statement line that matches no movement of ours: the line without its time and without the words of our books. */
export const makeLineClaim = ({ at: _at, we_say: _ours, ...line }: Break['details']): Record<string, unknown> => line
