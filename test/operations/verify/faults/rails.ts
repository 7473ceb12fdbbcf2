import { about, CHARGE, type Fault, of, PAYOUT } from '../names.ts'
import { attempts, change, charges, copy, each, payouts, plant, remove } from '../planting.ts'

const { held, aged, testPaid, testFailed } = CHARGE
const { open, livePaid, inDoubt, voided, sending } = PAYOUT

export const RAIL_FAULTS: readonly Fault[] = [
  ...plant('CH5', [
    ...each([open, inDoubt, sending, PAYOUT.approved], (payout) => [
      payout,
      `${payout} that nobody asks about`,
      change(payouts(payout), `follow_at = null${payout === PAYOUT.approved ? `, status = 'authorized'` : ''}`),
    ]),
    ...each([livePaid, voided], (payout) => [
      payout,
      `${payout} that is still asked about`,
      change(payouts(payout), 'follow_at = created_at'),
    ]),
  ]),
  ...plant('P4', [
    [
      open,
      'two payouts under one reference',
      `update payouts set rail_reference = 'same' where id in ('${open}', '${PAYOUT.paid}')`,
    ],
    [
      open,
      'a charge and a payout under one reference',
      change(payouts(open), `rail_reference = (select rail_reference from charges where ${of(testPaid)})`),
    ],
    ...each([livePaid, PAYOUT.requested, sending], (payout) => [
      payout,
      `${payout} without its attempt`,
      remove(attempts(payout)),
    ]),
    [livePaid, 'a payout that collects', change(attempts(livePaid), `side = 'collect'`)],
    [livePaid, 'a resend under another reference', copy(attempts(livePaid), { id: 'again' })],
    [open, 'an attempt for a test payout', change(attempts(livePaid), `subject = '${open}'`)],
    [voided, 'a payout taken back whose attempt goes on', change(attempts(voided), `state = 'not_sent'`)],
    [inDoubt, 'an open payout whose attempt was taken back', change(attempts(inDoubt), `state = 'void'`)],
    [inDoubt, 'an open payout whose attempt has ended', change(attempts(inDoubt), `state = 'ended'`)],
  ]),
  ...plant('CH5', [
    [CHARGE.liveOpen, 'an open charge that nobody asks about', change(charges(CHARGE.liveOpen), 'follow_at = null')],
    [held, 'an ended charge that is still asked about', change(charges(held), 'follow_at = created_at')],
    [
      CHARGE.voided,
      'a charge asked about that was taken back',
      change(charges(CHARGE.voided), 'follow_at = created_at'),
    ],
  ]),
  ...plant('P4', [
    [
      testPaid,
      'two charges under one reference',
      change(charges(testPaid), `rail_reference = (select rail_reference from charges where ${of(testFailed)})`),
    ],
    [testPaid, 'a charge without a reference', change(charges(testPaid), 'rail_reference = null')],
    [held, 'a live charge without its attempt', remove(attempts(held))],
    [held, 'an attempt under another reference', change(attempts(held), `id = 'other'`)],
    [held, 'an attempt that pays out', change(attempts(held), `side = 'disburse'`)],
    [held, 'an attempt over another channel', change(attempts(held), `channel = 'card'`)],
    [held, 'a second attempt', change(attempts(aged), `subject = '${held}'`)],
    [testPaid, 'an attempt for a test charge', change(attempts(held), `subject = '${testPaid}'`)],
    ['txn_gone', 'an attempt for nothing', change(attempts(held), `subject = 'txn_gone'`)],
  ]),
  ...plant('RA1', [
    [
      inDoubt,
      'a payout in doubt without the time at which it may have left',
      change(attempts(inDoubt), 'first_sent_at = null'),
    ],
    [inDoubt, 'a payout in doubt that is with no contract', change(attempts(inDoubt), `installation = ''`)],
    [
      PAYOUT.approved,
      'a queued payout that has left',
      change(attempts(PAYOUT.approved), `first_sent_at = created_at, installation = 'one'`),
    ],
    [
      inDoubt,
      'a payout that was asked about at a contract that it was never sent to',
      `insert into rail_evidence (merchant_id, attempt_id, at, operation, answer, stage, elapsed_ms, installation)
      select merchant_id, id, created_at, 'status', 'not_found', 'answered', 1, 'elsewhere' from rail_attempts where ${about(inDoubt)}`,
    ],
    [
      sending,
      'a payout that was posted at one contract and moved to another',
      `insert into rail_evidence (merchant_id, attempt_id, at, operation, answer, stage, elapsed_ms, installation)
        select merchant_id, id, created_at, 'submit', 'ambiguous', 'sent', 1, installation from rail_attempts where ${about(sending)};
      update rail_attempts set installation = 'today' where ${about(sending)}`,
    ],
  ]),
  ...plant('RA2', [
    ...each([open, livePaid, inDoubt, sending, voided], (payout) => [
      payout,
      `${payout} in the queue`,
      change(payouts(payout), 'in_queue = true'),
    ]),
    ...each([PAYOUT.approved, PAYOUT.requested], (payout) => [
      payout,
      `${payout} that waits outside the queue, where no freeze holds it back`,
      change(payouts(payout), 'in_queue = false'),
    ]),
  ]),
  ...plant('RA3', [
    ...each([held, CHARGE.liveFailed, livePaid], (ended) => [
      ended,
      `${ended} that ended without a word of the operator`,
      `delete from rail_evidence where answer in ('succeeded', 'failed')
      and attempt_id = (select id from rail_attempts where ${about(ended)})`,
    ]),
  ]),
  ...[CHARGE.liveOpen, inDoubt].flatMap((open) =>
    ['succeeded', 'failed'].map((word) => ({
      id: 'RA3',
      fault: `${open} that is open although the operator has said that it ${word}`,
      sql: `insert into rail_evidence (merchant_id, attempt_id, at, operation, answer, stage, elapsed_ms)
        select merchant_id, id, created_at, 'status', '${word}', 'answered', 5 from rail_attempts where ${about(open)}`,
      names: open,
    })),
  ),
]
