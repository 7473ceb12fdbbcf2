import type { App } from '../../app.ts'
import { sqlTime } from '../../platform/db/sql-time.ts'
import { statement } from '../../platform/db/statement.ts'
import {
  columnsOf,
  EACH_NOUN,
  fits,
  type ListedPayment,
  NOUNS,
  type Noun,
  type PaymentFilter,
  SHOWN,
  valuesOf,
} from './listed-payment.ts'
import { phonePart, plain, SHORTEST_PART } from './tokens.ts'
import type { Mark } from './walk.ts'

// Payments that are open or finished lately are not taken up yet, and are read row by row. No page reads more than these.
const MOST_OPEN = 2000
const MOST_ENDED = 20_000

// Indexes: *_under_way and *_ended_of_all. Withdrawals that wait for approval are open, and no rail is asked about them.
const recentOf = (noun: Noun) => {
  const columns = columnsOf(noun)
  const { mode } = NOUNS[noun]
  return `(select ${columns} from ${noun} p where ${mode} and p.follow_at is not null and p.published order by p.created_at desc limit ${MOST_OPEN})
    union all (select ${columns} from ${noun} p where ${mode} and p.completed_at is not null
      and (p.completed_at, p.id) > ((select ended_at from search_mark), (select id from search_mark)) order by p.completed_at desc, p.id desc limit ${MOST_ENDED})`
}
const WAITING = `(select ${columnsOf('payouts')} from (select merchant_id, id from withdrawals where state = 'requested' limit ${MOST_OPEN}) w
  join payouts p on p.merchant_id = w.merchant_id and p.id = w.id)`
const has = (column: string, at: number) => `strpos(lower(coalesce(${column}, '')), $${at}) > 0`
const RECENT = statement<ListedPayment>(
  'payments that are not taken up',
  `select ${SHOWN} from (${[...EACH_NOUN.map(recentOf), WAITING].join(' union all ')}) p join merchants m on m.id = p.merchant_id
   where (p.created_at, p.id) < ($1::timestamptz, $2) and ${fits(6)}
     and ($4::text is null or ${has('p.reference', 4)} or ${has('p.name', 4)} or ${has('p.number', 4)} or ${has('right(p.phone, 9)', 4)}
       or $5::text is not null and ${has('right(p.phone, 9)', 5)})
   order by p.created_at desc, p.id desc limit $3`,
)

/** Reads payments that are open or finished lately and match, newest first, after a position. */
export function recentPayments(
  { db }: Pick<App, 'db'>,
  filter: PaymentFilter,
  { after, limit }: { after: Mark; limit: number },
): Promise<ListedPayment[]> {
  const { text } = filter
  const digits = text === null ? null : phonePart(text)
  const long = digits !== null && digits.length >= SHORTEST_PART ? digits : null
  const part = text === null ? null : plain(text)
  return db.query(RECENT, [sqlTime(after.at), after.id, limit, part, long, ...valuesOf(filter)])
}
