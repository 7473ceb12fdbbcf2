import type { Break } from './exception.ts'

/**
 * What the operator says that we do not, in one form for all roads by which it comes: an answer, a late one, a line of a statement.
 * The same claim is the same evidence (rails.md 5.4). Migration 0078 wrote it in the same words for exceptions from before it.
 */
export function claimOf({ kind, details }: Pick<Break, 'kind' | 'details'>): Record<string, unknown> {
  const { rail_said: said, we_say: ours, differs } = details
  switch (kind) {
    case 'late_contradiction':
      return { rail_said: said }
    case 'ours_only':
      return { rail_said: 'nothing' }
    case 'rail_only':
      return ours === 'nothing' ? lineOf(details) : { rail_said: 'succeeded' }
    case 'mismatch':
      if (typeof differs === 'object') return { ...differs }
      return ours === said ? { side: details.side } : { amount: said }
    case 'other_number':
      return { number: said }
    case 'doubled_by_rail':
    case 'ledger_breach':
    case 'contradictory_answer':
      return details
    // Each is told, also while the other one is open.
    case 'unresolved':
    case 'never_arrived':
      return { kind, ...details }
  }
}

/** A line of a statement that is about nothing of ours, without what our books say of it and when it was. */
export const lineOf = ({ at: _at, we_say: _ours, ...line }: Break['details']): Record<string, unknown> => line
