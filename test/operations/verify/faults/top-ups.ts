import { uuidFor } from '../../../../src/platform/text/ids.ts'
import { type Fault, of, TOP_UP } from '../names.ts'
import { attempts, change, copy, each, plant, remove, topUps, transfers } from '../planting.ts'

const { paid, failed, open, voided } = TOP_UP
const credited = transfers(uuidFor(paid), 'top_up')
const PAST = `'2026-03-10T05:59:59Z'`

export const TOP_UP_FAULTS: readonly Fault[] = [
  ...plant('TU1', [
    [paid, 'a success that was not credited', remove(credited)],
    [paid, 'a credit of another amount', change(credited, 'amount = amount + 1')],
    [paid, 'a credit from another mirror', change(credited, `debit = 'rail:card'`)],
    [paid, 'a credit to pending', change(credited, `credit = 'pending'`)],
    [paid, 'a credit in test mode', change(credited, `mode = 'test'`)],
    [paid, 'a credit of another moment', change(credited, `at = at + interval '1 ms'`)],
    [uuidFor(open), 'a credit before the end', copy(credited, { subject: uuidFor(open), seq: 900 })],
    [uuidFor(failed), 'a credit of a failure', copy(credited, { subject: uuidFor(failed), seq: 900 })],
    ['nothing', 'a credit for nothing', copy(credited, { subject: 'nothing', seq: 900 })],
  ]),
  ...plant('TU2', [
    [failed, 'a failure without a reason', change(topUps(failed), 'failure_reason = null')],
    [paid, 'a success with a reason', change(topUps(paid), `failure_reason = 'timeout'`)],
    [paid, 'an end without its time', change(topUps(paid), 'completed_at = null')],
    [open, 'an open one with an end', change(topUps(open), 'completed_at = created_at')],
    [open, 'one that was shown and taken back', change(topUps(open), 'voided_at = created_at')],
  ]),
  ...plant('CH5', [
    [open, 'an open top-up that nobody asks about', change(topUps(open), 'follow_at = null')],
    ...each([paid, voided], (one) => [
      one,
      `${one} that is still asked about`,
      change(topUps(one), 'follow_at = created_at'),
    ]),
  ]),
  ...plant('P4', [
    [paid, 'a top-up without its attempt', remove(attempts(paid))],
    [paid, 'a top-up that pays out', change(attempts(paid), `side = 'disburse'`)],
    [open, 'an open top-up whose attempt has ended', change(attempts(open), `state = 'ended'`)],
    [voided, 'a top-up taken back whose attempt goes on', change(attempts(voided), `state = 'in_doubt'`)],
    [
      failed,
      'two top-ups under one reference',
      change(topUps(failed), `rail_reference = (select rail_reference from top_ups where ${of(paid)})`),
    ],
  ]),
  ...plant('RA3', [
    [
      paid,
      'a top-up that ended without a word',
      `update rail_evidence set answer = 'pending' where attempt_id = '${uuidFor(paid)}'`,
    ],
    [
      open,
      'a word that ends an open top-up',
      `update rail_evidence set attempt_id = '${uuidFor(open)}' where attempt_id = '${uuidFor(failed)}'`,
    ],
  ]),
  ...plant('OV4', [
    [open, 'a top-up that nobody has asked about for hours', change(topUps(open), `follow_at = ${PAST}`)],
  ]),
]
