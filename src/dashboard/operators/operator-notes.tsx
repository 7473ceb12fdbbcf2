import { Note, timeText } from '../../pages/parts.tsx'
import { type OperatorState, operatorStates } from '../../rails/operator-state.ts'
import { OPERATORS } from '../texts/operators.ts'
import type { DashboardVisit } from '../visit.ts'

/** What is wrong with operators now, as far as this mode has to do with them. */
export const statesFor = async ({ app, mode }: DashboardVisit): Promise<readonly OperatorState[]> =>
  mode === 'live' ? operatorStates(app) : []

/** Says so, before somebody looks for the fault here. */
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
