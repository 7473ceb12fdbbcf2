import type { TestService } from '../../helpers/service/test-service.ts'

// How the database itself wrote the lines of statements until they were written from raw columns. Finished months have been given
// out in these words and never change by a byte, so new lines are compared with them.
const text = (column: string) => `coalesce(to_json(${column})::text, 'null')`
const word = (column: string) => `coalesce('"' || ${column} || '"', 'null')`
const date = (at: string) =>
  `'{"date":' || left(to_json(${at} + interval '3 hours 1 microsecond')::text, 24) || '+03:00",'`
const names = (row: string) =>
  `'"reference":' || ${text(`${row}.reference`)} || ',"id":"' || ${row}.id || '","rail_reference":' || ${word(`${row}.rail_reference`)}`
const charge = (at: string) =>
  `${date(at)} || ${names('c')} || ',"party":' || ${word('c.phone')} || ',"channel":"' || c.channel
  || '","gross":' || c.amount || ',"gift_card":' || c.gift_card_amount || ',"fee":' || c.fee
  || ',"net":' || c.amount - c.gift_card_amount - c.fee || '}'`

const TRANSFERS = 't.merchant_id = $1 and t.mode = $2 and t.at >= $3 and t.at < $4'
const MONEY_IN = `with posted as (
     select t.seq, max(t.at) over (order by t.seq) as high, '' as id, ${charge('t.at')} as line
     from transfers t join charges c on c.merchant_id = t.merchant_id and c.id = t.subject
     where ${TRANSFERS} and t.kind = 'charge_fee'),
   merged as (select high, seq, id, line from posted union all
     select c.completed_at, null, c.id, ${charge('c.completed_at')} from charges c
     where c.merchant_id = $1 and c.mode = $2 and c.amount = c.gift_card_amount and c.completed_at >= $3 and c.completed_at < $4)
   select string_agg(line, ',' order by high, seq nulls last, id) as lines from merged`
const MONEY_OUT = `select string_agg(${date('t.at')} || ${names('p')} || ',"party":' || ${word('p.recipient_phone')} || ',"kind":"' || p.kind
    || '","amount":' || p.amount || ',"fee":' || p.fee || ',"total":' || p.amount + p.fee || ',"status":"'
    || case when p.completed_at < $4 then p.status else 'pending' end || '"}', ',' order by t.seq) as lines
   from transfers t join payouts p on p.merchant_id = t.merchant_id and p.id = t.subject and p.published
   where ${TRANSFERS} and t.kind = 'payout_reserve'`

/** The lists of money in and money out of a finished month, as they stand in its statement. */
export async function listsAsWrittenBefore(
  service: TestService,
  { merchantId, start, end }: { merchantId: number; start: Date; end: Date },
): Promise<string> {
  const linesOf = async (sql: string) =>
    (await service.rows<{ lines: string | null }>(sql, [merchantId, 'live', start, end]))[0]?.lines ?? ''
  return `,"money_in":[${await linesOf(MONEY_IN)}],"money_out":[${await linesOf(MONEY_OUT)}],"adjustments":[`
}
