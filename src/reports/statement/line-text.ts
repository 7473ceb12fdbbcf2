// The database formats the lines, because a million rows would block this process for seconds.
export const text = (column: string) => `coalesce(to_json(${column})::text, 'null')`
// Ids, rail references and phones are generated or normalised by us and need no escaping.
export const word = (column: string) => `coalesce('"' || ${column} || '"', 'null')`
// A date in Kampala with milliseconds, at half the cost of to_char: adding one microsecond makes every time print all
// digits.
const dateOf = (at: string) =>
  `'{"date":' || left(to_json(${at} + interval '3 hours 1 microsecond')::text, 24) || '+03:00",'`
export const DATE = dateOf('t.at')
export const names = (row: string) =>
  `'"reference":' || ${text(`${row}.reference`)} || ',"id":"' || ${row}.id || '","rail_reference":' || ${word(`${row}.rail_reference`)}`
export const WITHIN =
  't.merchant_id = $1 and t.mode = $2 and t.seq >= $3 and t.seq < $4 and t.at >= $5 and t.at < $6'
// When the window begins and ends. Numbers are nearly in the order of time, hence the minute.
export const FROM = '(select at from transfers where merchant_id = $1 and mode = $2 and seq = $3)'
export const UNTIL = `(select at + interval '1 minute' from transfers where merchant_id = $1 and mode = $2 and seq = $4::bigint - 1)`

const CHARGE_COLUMNS =
  'c.id, c.reference, c.rail_reference, c.phone, c.channel, c.amount, c.gift_card_amount, c.fee'
const charge = (
  c: string,
  at: string,
) => `${dateOf(at)} || ${names(c)} || ',"party":' || ${word(`${c}.phone`)} || ',"channel":"' || ${c}.channel
  || '","gross":' || ${c}.amount || ',"gift_card":' || ${c}.gift_card_amount || ',"fee":' || ${c}.fee
  || ',"net":' || ${c}.amount - ${c}.gift_card_amount - ${c}.fee || '}'`

// Reading the charges created in the window and shortly before it costs a quarter of looking up each by id. Those that took
// longer to be paid are looked up.
const ofPosted = (inWindow: string, older: string) =>
  `case when n.id is null then (select ${older} from charges c where c.merchant_id = $1 and c.id = t.subject) else ${inWindow} end`

/** The transfers of paid charges, each with its charge: the line, and what a gift card paid. */
export const POSTED_CHARGES = `transfers t left join (select ${CHARGE_COLUMNS} from charges c
    where c.merchant_id = $1 and c.mode = $2 and c.status in ('succeeded', 'refunded') and c.published
      and c.created_at >= ${FROM} - interval '2 minutes' and c.created_at <= ${UNTIL}) n on n.id = t.subject
  where ${WITHIN} and t.kind = 'charge_fee'`
export const POSTED_LINE = ofPosted(charge('n', 't.at'), charge('c', 't.at'))
export const POSTED_GIFT_CARD = ofPosted('n.gift_card_amount', 'c.gift_card_amount')
/** The line of a charge without a transfer. */
export const COVERED_LINE = charge('c', 'c.completed_at')
