import { assert } from '../../platform/assert.ts'
import { type Statement, statement } from '../../platform/db/statement.ts'
import type { Sum } from '../../platform/sums.ts'
import { askMerged } from './covered.ts'
import { CHANGE, type Figures, windowsOf } from './figures.ts'
import {
  DATE,
  FROM,
  names,
  POSTED_CHARGES,
  POSTED_GIFT_CARD,
  POSTED_LINE,
  text,
  UNTIL,
  WITHIN,
  word,
} from './line-text.ts'
import { type Period, sqlTime } from './period.ts'
import type { SeqRange } from './range.ts'
import type { Ledger, Snapshot } from './snapshot.ts'

/** The three lists of a statement. */
export type Section = 'money_in' | 'money_out' | 'adjustments'
export const SECTIONS: readonly Section[] = ['money_in', 'money_out', 'adjustments']

/** Lines as JSON objects with commas between, as the database wrote them. `giftCards` is 0 but for money that came in. */
export type Lines = { lines: string | null; count: number; giftCards: Sum }

/** The month whose lines are asked for. */
export type Month = { ledger: Ledger; period: Period; complete: boolean; figures: Figures }

const MONEY_IN = statement<Lines>(
  'money in of a statement',
  `select string_agg(${POSTED_LINE}, ',' order by t.seq) as lines, count(*) as count,
     coalesce(sum(${POSTED_GIFT_CARD}), 0)::bigint as "giftCards" from ${POSTED_CHARGES}`,
)

// $7: the state as of this time, the end of a finished month; null for the present.
const PAYOUT_COLUMNS =
  'p.id, p.reference, p.rail_reference, p.recipient_phone, p.kind, p.amount, p.fee, p.status, p.completed_at'
const payout = (
  p: string,
) => `${DATE} || ${names(p)} || ',"party":' || ${word(`${p}.recipient_phone`)} || ',"kind":"' || ${p}.kind
  || '","amount":' || ${p}.amount || ',"fee":' || ${p}.fee || ',"total":' || ${p}.amount + ${p}.fee || ',"status":"'
  || case when $7::timestamptz is null or ${p}.completed_at < $7 then ${p}.status else 'pending' end || '"}'`

// A payout that is not published (yet) has no line here.
const MONEY_OUT = statement<Lines>(
  'money out of a statement',
  `select string_agg(line, ',' order by seq) as lines, count(line) as count, 0 as "giftCards" from (
     select t.seq, case when n.id is null then (select ${payout('p')} from payouts p
         where p.merchant_id = $1 and p.id = t.subject and p.published) else ${payout('n')} end as line
     from transfers t left join (select ${PAYOUT_COLUMNS} from payouts p
       where p.merchant_id = $1 and p.mode = $2 and p.status in ('pending', 'authorized', 'succeeded', 'failed')
         and p.published and p.created_at >= ${FROM} - interval '1 minute' and p.created_at <= ${UNTIL}) n on n.id = t.subject
     where ${WITHIN} and t.kind = 'payout_reserve') l`,
)

// A reservation that never became a payout has no public id and no rail reference.
const RELEASED = `'"kind":"released_reservation","reference":' || ${text('p.reference')} || ',"id":null,"rail_reference":null'`
const RETURNED = `case when p.published then '"kind":"payout_returned",' || ${names('p')} else ${RELEASED} end`
const AMOUNT = `',"amount":' || change`

// $7: whether any reservation of the month never became a payout; if none, payouts need not be read.
const ADJUSTMENTS = statement<Lines>(
  'adjustments of a statement',
  `with line as (select seq, ${DATE} || case
     when kind = 'split_share' then (select '"kind":"split_share",' || ${names('c')} || ',"amount":' || -t.amount
       || ',"note":' || ${text(`split_part(t.credit, ':', 2)`)} from charges c
       where c.merchant_id = $1 and c.id = t.subject)
     when kind = 'charge_fee_return' then (select '"kind":"refund_fee_returned",' || ${names('c')} || ${AMOUNT}
       || ',"note":' || ${text('c.refund_id')} from charges c where c.merchant_id = $1 and c.id = t.subject)
     when kind = 'payout_return' then (select ${RETURNED} || ${AMOUNT} || ',"note":' || ${text('p.failure_reason')}
       from payouts p where p.merchant_id = $1 and p.id = t.subject)
     when kind = 'payout_reserve' then (select ${RELEASED} || ${AMOUNT} || ',"note":null'
       from payouts p where p.merchant_id = $1 and p.id = t.subject)
     when kind = 'top_up' then '"kind":"top_up","reference":null,"id":null,"rail_reference":' || ${text('t.subject')}
       || ${AMOUNT} || ',"note":null'
     when kind in ('correction_in', 'correction_out') then '"kind":"correction","reference":null,"id":' || ${text('t.subject')}
       || ',"rail_reference":null' || ${AMOUNT} || ',"note":'
       || ${text('(select d.told from adjustments d where d.merchant_id = $1 and d.id = t.subject)')}
     else '"kind":"add_funds","reference":null,"id":' || ${text('t.subject')} || ',"rail_reference":null' || ${AMOUNT} || ',"note":null'
     end || '}' as line
   from (select t.seq, kind, subject, credit, amount, at, ${CHANGE} as change from transfers t
     where ${WITHIN} and (kind = 'split_share' or kind not in ('charge_net', 'payout_reserve') and ${CHANGE} <> 0
       or $7 and kind = 'payout_reserve' and not (select p.published from payouts p
         where p.merchant_id = $1 and p.id = t.subject))) t)
   select string_agg(line, ',' order by seq) as lines, count(*) as count, 0 as "giftCards" from line`,
)

// The size of a window in transfers: small where lines are dense, larger where they are sparse. Even if every transfer were
// a line, a window would be a few megabytes.
const WINDOW = { least: 8000, most: 32_000, lines: 4000 }

type Question = { statement: Statement<Lines>; more: readonly unknown[]; expected: number }
/** Reads the piece after the given one; null when there is none. */
type Ask = (last: Lines | null) => Promise<Lines[]> | null

/**
 * The lines of one section in the order of posting, a piece of at most a few thousand at a time; the next piece is read
 * while the last one is used. No more of the month is ever in memory.
 */
export async function* linesOf(snapshot: Snapshot, month: Month, section: Section): AsyncGenerator<Lines> {
  const question = questionOf(month, section)
  if (question.expected === 0) return
  const covered = section === 'money_in' && month.figures.covered > 0
  const ask = covered ? askCovered(snapshot, month, question) : askPosted(snapshot, month, question)
  let count = 0
  for await (const lines of inAdvance(ask)) {
    count += lines.count
    if (lines.count > 0) yield lines
  }
  assert(count === question.expected, `${section} has as many lines as were counted before`)
}

async function* inAdvance(ask: Ask): AsyncGenerator<Lines> {
  const next = (last: Lines | null) => {
    const asking = ask(last)
    // A caller that stops early ignores its result.
    asking?.catch(() => {})
    return asking
  }
  let asking = next(null)
  try {
    while (asking !== null) {
      const [lines] = await asking
      assert(lines, 'an aggregate is one row')
      asking = next(lines)
      yield lines
    }
  } finally {
    await asking?.catch(() => {})
  }
}

function askPosted(snapshot: Snapshot, month: Month, { statement: asked, more, expected }: Question): Ask {
  const { ledger, period, figures } = month
  const bounds = [sqlTime(period.start), sqlTime(period.end)]
  const windows = windowsOf(figures.range, windowFor(figures.range, expected, WINDOW.least))
  return () => {
    const { value, done } = windows.next()
    if (done) return null
    const values = [ledger.merchantId, ledger.mode, value.first, value.end, ...bounds, ...more]
    return snapshot.ask(asked, values)
  }
}

/** With covered charges between the posted ones a window of few transfers may have many lines. */
function askCovered(snapshot: Snapshot, month: Month, { expected }: Question): Ask {
  const { range } = month.figures
  return askMerged(snapshot, month, windowsOf(range, windowFor(range, expected, 1)))
}

function questionOf({ complete, period, figures }: Month, section: Section): Question {
  switch (section) {
    case 'money_in':
      return { statement: MONEY_IN, more: [], expected: figures.countIn }
    case 'money_out':
      return {
        statement: MONEY_OUT,
        more: [complete ? sqlTime(period.end) : null],
        expected: figures.countOut,
      }
    case 'adjustments':
      return { statement: ADJUSTMENTS, more: [figures.withheld > 0], expected: figures.countAdjustments }
  }
}

/** The number of transfers of the next window, from the number of lines in the last. */
function windowFor({ first, end }: SeqRange, lines: number, least: number): number {
  const wanted = Math.ceil(((end - first) * WINDOW.lines) / lines)
  return Math.min(Math.max(wanted, least), WINDOW.most)
}
