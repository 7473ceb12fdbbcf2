import { about, CHARGE, type Fault, of, PAYOUT } from '../names.ts'

const { held, aged, testPaid, testFailed } = CHARGE
const { open, livePaid, inDoubt, voided, sending } = PAYOUT

export const RAIL_FAULTS: readonly Fault[] = [
  ...[open, inDoubt, sending, PAYOUT.approved].map((payout) => ({
    id: 'CH5',
    fault: `${payout} that nobody asks about`,
    sql: `update payouts set follow_at = null${payout === PAYOUT.approved ? `, status = 'authorized'` : ''} where ${of(payout)}`,
    names: payout,
  })),
  ...[livePaid, voided].map((payout) => ({
    id: 'CH5',
    fault: `${payout} that is still asked about`,
    sql: `update payouts set follow_at = created_at where ${of(payout)}`,
    names: payout,
  })),
  {
    id: 'P4',
    fault: 'two payouts under one reference',
    sql: `update payouts set rail_reference = 'same' where id in ('${open}', '${PAYOUT.paid}')`,
    names: `${open} ${PAYOUT.paid}`,
  },
  {
    id: 'P4',
    fault: 'a charge and a payout under one reference',
    sql: `update payouts set rail_reference = (select rail_reference from charges where ${of(testPaid)}) where ${of(open)}`,
    names: `${open} ${testPaid}`,
  },
  ...[livePaid, PAYOUT.requested, sending].map((payout) => ({
    id: 'P4',
    fault: `${payout} without its attempt`,
    sql: `delete from rail_attempts where ${about(payout)}`,
    names: payout,
  })),
  {
    id: 'P4',
    fault: 'a payout that collects',
    sql: `update rail_attempts set side = 'collect' where ${about(livePaid)}`,
    names: livePaid,
  },
  {
    id: 'P4',
    fault: 'a resend under another reference',
    sql: `insert into rail_attempts (merchant_id, id, subject, side, channel, installation, state, created_at)
      select merchant_id, 'again', subject, side, channel, installation, state, created_at from rail_attempts where ${about(livePaid)}`,
    names: livePaid,
  },
  {
    id: 'P4',
    fault: 'an attempt for a test payout',
    sql: `update rail_attempts set subject = '${open}' where ${about(livePaid)}`,
    names: open,
  },
  {
    id: 'P4',
    fault: 'a payout taken back whose attempt goes on',
    sql: `update rail_attempts set state = 'not_sent' where ${about(voided)}`,
    names: voided,
  },
  {
    id: 'P4',
    fault: 'an open payout whose attempt was taken back',
    sql: `update rail_attempts set state = 'void' where ${about(inDoubt)}`,
    names: inDoubt,
  },
  {
    id: 'P4',
    fault: 'an open payout whose attempt has ended',
    sql: `update rail_attempts set state = 'ended' where ${about(inDoubt)}`,
    names: inDoubt,
  },
  {
    id: 'CH5',
    fault: 'an open charge that nobody asks about',
    sql: `update charges set follow_at = null where ${of(CHARGE.liveOpen)}`,
    names: CHARGE.liveOpen,
  },
  {
    id: 'CH5',
    fault: 'an ended charge that is still asked about',
    sql: `update charges set follow_at = created_at where ${of(held)}`,
    names: held,
  },
  {
    id: 'CH5',
    fault: 'a charge asked about that was taken back',
    sql: `update charges set follow_at = created_at where ${of(CHARGE.voided)}`,
    names: CHARGE.voided,
  },
  {
    id: 'P4',
    fault: 'two charges under one reference',
    sql: `update charges set rail_reference = (select rail_reference from charges where ${of(testFailed)}) where ${of(testPaid)}`,
    names: `${testFailed} ${testPaid}`,
  },
  {
    id: 'P4',
    fault: 'a charge without a reference',
    sql: `update charges set rail_reference = null where ${of(testPaid)}`,
    names: testPaid,
  },
  {
    id: 'P4',
    fault: 'a live charge without its attempt',
    sql: `delete from rail_attempts where ${about(held)}`,
    names: held,
  },
  {
    id: 'P4',
    fault: 'an attempt under another reference',
    sql: `update rail_attempts set id = 'other' where ${about(held)}`,
    names: held,
  },
  {
    id: 'P4',
    fault: 'an attempt that pays out',
    sql: `update rail_attempts set side = 'disburse' where ${about(held)}`,
    names: held,
  },
  {
    id: 'P4',
    fault: 'an attempt over another channel',
    sql: `update rail_attempts set channel = 'card' where ${about(held)}`,
    names: held,
  },
  {
    id: 'P4',
    fault: 'a second attempt',
    sql: `update rail_attempts set subject = '${held}' where ${about(aged)}`,
    names: held,
  },
  {
    id: 'P4',
    fault: 'an attempt for a test charge',
    sql: `update rail_attempts set subject = '${testPaid}' where ${about(held)}`,
    names: testPaid,
  },
  {
    id: 'P4',
    fault: 'an attempt for nothing',
    sql: `update rail_attempts set subject = 'txn_gone' where ${about(held)}`,
    names: 'txn_gone',
  },
  {
    id: 'RA1',
    fault: 'a payout in doubt without the time at which it may have left',
    sql: `update rail_attempts set first_sent_at = null where ${about(inDoubt)}`,
    names: inDoubt,
  },
  {
    id: 'RA1',
    fault: 'a payout in doubt that is with no contract',
    sql: `update rail_attempts set installation = '' where ${about(inDoubt)}`,
    names: inDoubt,
  },
  {
    id: 'RA1',
    fault: 'a queued payout that has left',
    sql: `update rail_attempts set first_sent_at = created_at, installation = 'one' where ${about(PAYOUT.approved)}`,
    names: PAYOUT.approved,
  },
  {
    id: 'RA1',
    fault: 'a payout that was asked about at a contract that it was never sent to',
    sql: `insert into rail_evidence (merchant_id, attempt_id, at, operation, answer, stage, elapsed_ms, installation)
      select merchant_id, id, created_at, 'status', 'not_found', 'answered', 1, 'elsewhere' from rail_attempts where ${about(inDoubt)}`,
    names: inDoubt,
  },
  {
    id: 'RA1',
    fault: 'a payout that was posted at one contract and moved to another',
    sql: `insert into rail_evidence (merchant_id, attempt_id, at, operation, answer, stage, elapsed_ms, installation)
        select merchant_id, id, created_at, 'submit', 'ambiguous', 'sent', 1, installation from rail_attempts where ${about(sending)};
      update rail_attempts set installation = 'today' where ${about(sending)}`,
    names: sending,
  },
  ...[open, livePaid, inDoubt, sending, voided].map((payout) => ({
    id: 'RA2',
    fault: `${payout} in the queue`,
    sql: `update payouts set in_queue = true where ${of(payout)}`,
    names: payout,
  })),
  ...[held, CHARGE.liveFailed, livePaid].map((ended) => ({
    id: 'RA3',
    fault: `${ended} that ended without a word of the operator`,
    sql: `delete from rail_evidence where answer in ('succeeded', 'failed')
      and attempt_id = (select id from rail_attempts where ${about(ended)})`,
    names: ended,
  })),
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
