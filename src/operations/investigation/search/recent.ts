import { formatSqlTime } from '../../../platform/db/sql-time.ts'
import { statement } from '../../../platform/db/statement.ts'
import type { App } from '../../../program/app.ts'
import {
  EACH_PAYMENT_NOUN,
  filterSql,
  filterValues,
  type ListedPayment,
  PAYMENT_NOUNS,
  type PaymentFilter,
  type PaymentNoun,
  partSql,
  partValues,
  paymentColumnsSql,
  SHOWN_COLUMNS,
} from './listed-payment.ts'
import type { ListPosition } from './walk.ts'

// Payments that are open or finished lately are not taken up yet, and are read row by row. No page reads more than these.
const MAX_OPEN = 2000
const MAX_ENDED = 20_000

// Indexes: *_under_way and *_ended_of_all. Withdrawals that wait for approval are open, and no rail is asked about them.
const recentSql = (noun: PaymentNoun) => {
  const columns = paymentColumnsSql(noun)
  const { mode } = PAYMENT_NOUNS[noun]
  return `(select ${columns} from ${noun} p where ${mode} and p.follow_at is not null and p.published order by p.created_at desc limit ${MAX_OPEN})
    union all (select ${columns} from ${noun} p where ${mode} and p.completed_at is not null
      and (p.completed_at, p.id) > ((select ended_at from search_mark), (select id from search_mark)) order by p.completed_at desc, p.id desc limit ${MAX_ENDED})`
}
const WITHDRAWALS_WAITING = `(select ${paymentColumnsSql('payouts')} from (select merchant_id, id from withdrawals where state = 'requested' limit ${MAX_OPEN}) w
  join payouts p on p.merchant_id = w.merchant_id and p.id = w.id)`
const RECENT = statement<ListedPayment>(
  'payments that are not taken up',
  `select ${SHOWN_COLUMNS} from (${[...EACH_PAYMENT_NOUN.map(recentSql), WITHDRAWALS_WAITING].join(' union all ')}) p join merchants m on m.id = p.merchant_id
   where (p.created_at, p.id) < ($1::timestamptz, $2) and ${filterSql(6)}
     and ${partSql(4)}
   order by p.created_at desc, p.id desc limit $3`,
  { plannedOnce: true },
)

/** Reads payments that are open or finished lately and match, newest first, after a position. */
export function readRecentPayments(
  { db }: Pick<App, 'db'>,
  filter: PaymentFilter,
  { after, limit }: { after: ListPosition; limit: number },
): Promise<ListedPayment[]> {
  const values = [formatSqlTime(after.at), after.id, limit, ...partValues(filter.text), ...filterValues(filter)]
  return db.query(RECENT, values)
}
