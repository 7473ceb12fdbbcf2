import { ADJUSTED, APPROVAL, type Fault } from '../names.ts'
import { adjustments, approvals, change, exceptions, plant, remove, transfers } from '../planting.ts'

const { approved, waiting, withdrawn } = APPROVAL
const moved = transfers(ADJUSTED.id, 'correction_out')
const saying = (name: string, value: string) =>
  `command = convert_to(jsonb_set(convert_from(command, 'UTF8')::jsonb, '{${name}}', '${value}')::text, 'UTF8')`
/** Other bytes, with a digest that fits: only what they made tells. */
const said = (name: string, value: string) =>
  `${change(approvals(approved), saying(name, value))}; ${change(approvals(approved), 'digest = sha256(command)')}`

export const APPROVAL_FAULTS: readonly Fault[] = [
  ...plant('AP1', [
    [approved, 'an approval of its own asker', change(approvals(approved), 'decided_by = asked_by')],
    [approved, 'an approval after its time', change(approvals(approved), 'expires_at = decided_at')],
    [waiting, 'other bytes than were asked for', change(approvals(waiting), saying('amount', '7'))],
    [waiting, 'bytes of another kind', change(approvals(waiting), `kind = 'unfreeze-merchant'`)],
    [waiting, 'somebody decided, and it waits', change(approvals(waiting), 'decided_at = asked_at')],
    [withdrawn, 'a rejection by nobody', change(approvals(withdrawn), `status = 'rejected', decided_by = null`)],
  ]),
  ...plant('AP2', [
    [approved, 'an approval that corrected nothing', remove(adjustments(ADJUSTED.id))],
    [approved, 'a correction without its transfer', remove(moved)],
    [ADJUSTED.id, 'a correction that nobody approved', remove(approvals(approved))],
    [approved, 'a correction of another moment', change(adjustments(ADJUSTED.id), `at = at + interval '1 ms'`)],
    [approved, 'a transfer of another moment', change(moved, `at = at + interval '1 ms'`)],
    [approved, 'a correction in the other mode', change(adjustments(ADJUSTED.id), `mode = 'test'`)],
    [approved, 'a correction of another amount', change(adjustments(ADJUSTED.id), 'amount = amount + 1')],
    [approved, 'a transfer of another amount', change(moved, 'amount = amount + 1')],
    [approved, 'an approval of another amount', said('amount', '4999')],
    [approved, 'an approval of the other direction', said('direction', '"in"')],
    [approved, 'an approval against another account', said('against', '"fees"')],
    [approved, 'an approval for another exception', said('exception', '"exc_other"')],
    [approved, 'an approval about another movement', said('about', '"txn_other"')],
    [approved, 'an approval of another transfer', said('id', '"adj_other"')],
  ]),
  ...plant('AP3', [
    [ADJUSTED.exception, 'an exception adjusted by nothing', said('resolve', 'false')],
    [
      ADJUSTED.exception,
      'a correction whose exception says something else',
      change(exceptions(ADJUSTED.exception), `resolution = 'no_difference'`),
    ],
    [
      ADJUSTED.exception,
      'an exception closed at another moment',
      change(exceptions(ADJUSTED.exception), `closed_at = closed_at + interval '1 ms'`),
    ],
  ]),
]
