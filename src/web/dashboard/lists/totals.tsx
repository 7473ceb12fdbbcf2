import type { ListCount, ListTotals } from '../../../api/http/lists/list-totals.ts'
import { Money } from '../../parts/parts.tsx'
import { LISTS } from '../texts/lists.ts'

const { totals: words } = LISTS

/** How many rows the filtered list has. */
export const CountLine = ({ counted: { count, more } }: { counted: ListCount }) =>
  count === 0 ? null : (
    <p class="totals">
      <strong>{more ? words.more(count) : words.count(count)}</strong>
    </p>
  )

/** The totals of the filtered list. A very long list only says that it is long. */
export const TotalsLine = ({ totals: { count, more, paid, amount, fees, attempted } }: { totals: ListTotals }) =>
  count === 0 ? null : (
    <p class="totals">
      <strong>{more ? words.more(count) : words.count(count)}</strong>
      {more ? (
        <span class="hint">{words.narrow}</span>
      ) : (
        <>
          {paid > 0 && (
            <span>
              {words.paid(paid)} <Money amount={amount} />
            </span>
          )}
          {paid > 0 && (
            <span>
              {words.fees} <Money amount={fees} />
            </span>
          )}
          {paid < count && (
            <span>
              {words.others(count - paid)} <Money amount={attempted - amount} />
            </span>
          )}
        </>
      )}
    </p>
  )
