import { type OperatorState, readOperatorStates } from '../../../rails/operator-state.ts'
import { formatPageTime, Note } from '../../parts/parts.tsx'
import { OPERATOR_NOTES } from '../texts/operators.ts'
import type { DashboardVisit } from '../visit.ts'

/** Reads which operators do not serve now; none in test mode, which uses no operator. */
export const readStatesForMode = async ({ app, mode }: DashboardVisit): Promise<readonly OperatorState[]> =>
  mode === 'live' ? readOperatorStates(app) : []

/** Warns of operators that do not serve, before the reader looks for the fault here. */
export const OperatorNotes = ({ states, side }: { states: readonly OperatorState[]; side?: OperatorState['side'] }) => (
  <>
    {states
      .filter((state) => side === undefined || state.side === side)
      .map(({ channel, side: concerned, state, since }) => (
        <Note tone="warn">
          <p>{OPERATOR_NOTES.says[state][concerned](OPERATOR_NOTES.names[channel], formatPageTime(since))}</p>
        </Note>
      ))}
  </>
)
