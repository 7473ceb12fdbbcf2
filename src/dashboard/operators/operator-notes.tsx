import { Note, timeText } from '../../pages/parts.tsx'
import { type OperatorState, operatorStates } from '../../rails/operator-state.ts'
import { OPERATORS } from '../texts/operators.ts'
import type { DashboardVisit } from '../visit.ts'

/** Reads which operators do not serve now; none in test mode, which uses no operator. */
export const statesFor = async ({ app, mode }: DashboardVisit): Promise<readonly OperatorState[]> =>
  mode === 'live' ? operatorStates(app) : []

/** Warns of operators that do not serve, before the reader looks for the fault here. */
export const OperatorNotes = ({
  states,
  side,
}: {
  states: readonly OperatorState[]
  side?: OperatorState['side']
}) => (
  <>
    {states
      .filter((state) => side === undefined || state.side === side)
      .map(({ channel, side: concerned, state, since }) => (
        <Note tone="warn">
          <p>{OPERATORS.says[state][concerned](OPERATORS.names[channel], timeText(since))}</p>
        </Note>
      ))}
  </>
)
