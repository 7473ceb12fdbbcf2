import type { Invariant } from '../invariant.ts'

const LANES =
  'select merchant_id, mode, min(sequence) as first, max(sequence) as last, count(*) as count from event_seals group by merchant_id, mode'

/** The numbers of events, by which they are pulled. */
export const SEQUENCE_INVARIANTS: readonly Invariant[] = [
  {
    id: 'SQ1',
    says: 'the events of a merchant and mode are numbered from 1 without a gap',
    counted: `select count(*) from (${LANES}) t`,
    offenders: `select merchant_id, mode, format('numbers %s to %s of %s events', first, last, count) as offender from (${LANES}) t
      where first <> 1 or last <> count`,
  },
  {
    id: 'SQ2',
    says: 'a number is that of an event of its own merchant, mode and type',
    counted: 'select count(*) from event_seals',
    offenders: `select s.merchant_id, s.mode, s.event_id as offender from event_seals s
        left join events e on (e.id, e.merchant_id, e.mode, e.type) = (s.event_id, s.merchant_id, s.mode, s.event)
      where e.id is null`,
  },
  {
    id: 'SQ3',
    says: 'every event whose transaction had ended when numbers were last given has its number',
    counted: 'select count(*) from events where written_in is not null',
    offenders: `select e.merchant_id, e.mode, e.id as offender
      from event_seal_mark m join events e on e.written_in < pg_snapshot_xmin(m.snapshot)
        left join event_seals s on s.event_id = e.id and s.merchant_id = e.merchant_id
      where s.event_id is null`,
  },
]
