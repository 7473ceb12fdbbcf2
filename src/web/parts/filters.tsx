import type { ComponentChildren } from 'preact'
import { MAX_ROWS_SEARCHED } from '../../api/http/lists/list-search.ts'
import { formatIsoTime } from '../../platform/time/times.ts'
import { FieldBox } from './forms/field-box.tsx'
import { Icon } from './icons.tsx'
import { formatPageTime } from './parts.tsx'
import { PERIOD_FILTER, PERIODS } from './periods.ts'
import { type AddressQuery, addressWith, type ListFilter } from './table.tsx'
import { PARTS } from './texts.ts'

/** The filters of a list as a form that only changes the address. */
export function Filters({
  filters,
  query,
  action,
  keep = {},
  children,
}: {
  filters: readonly ListFilter[]
  query: AddressQuery
  action: string
  /** Values that stay in the address beside the filters. */
  keep?: Readonly<Record<string, string>>
  children?: ComponentChildren
}) {
  const used = filters.filter(({ name }) => query[name] !== undefined).length
  return (
    <details class="filters">
      <summary>
        <Icon name="search" /> {used === 0 ? PARTS.filters : PARTS.filtersUsed(used)}
      </summary>
      <form method="get" action={action} class="form compact">
        {Object.entries(keep).map(([name, value]) => (
          <input type="hidden" name={name} value={value} />
        ))}
        {filters.map(({ name, label, kind = 'text', hint, choices }) => (
          <FieldBox
            field={{
              name,
              label,
              kind,
              ...(hint === undefined ? {} : { hint }),
              ...(choices === undefined ? {} : { choices: [{ value: '', label: PARTS.all }, ...choices] }),
            }}
            id={`filter-${name}`}
            value={query[name] ?? ''}
            fault={null}
          />
        ))}
        <button type="submit" class="button">
          {PARTS.filter}
        </button>
        {used > 0 && (
          <a class="button plain" href={addressWith(action, keep)}>
            {PARTS.clear}
          </a>
        )}
      </form>
      {children}
    </details>
  )
}

type PeriodLinksProps = { query: AddressQuery; here: string; filters: readonly ListFilter[] }

/** One tap for each usual span of days; the other filters stay. The one in use leads back to all. */
export const PeriodLinks = ({ query, here, filters }: PeriodLinksProps) =>
  filters.includes(PERIOD_FILTER) ? (
    <nav class="chips" aria-label={PARTS.periods.label}>
      {PERIODS.map((period) => {
        const isUsed = query.period === period
        const others = {
          ...query,
          from: undefined,
          until: undefined,
          after: undefined,
          before: undefined,
          earlier: undefined,
        }
        return (
          <a
            href={addressWith(here, { ...others, period: isUsed ? undefined : period })}
            aria-current={isUsed ? 'true' : undefined}
          >
            {PARTS.periods[period]}
          </a>
        )
      })}
    </nav>
  ) : null

const ROW_COUNTS = new Intl.NumberFormat('en-US')

type SearchedProps = { query: AddressQuery; here: string; backTo: Date | null }

/** Says how far back a search has looked, and leads on. */
export const SearchedBackTo = ({ query, here, backTo }: SearchedProps) =>
  backTo === null ? null : (
    <p class="hint">
      {PARTS.searched.back(ROW_COUNTS.format(MAX_ROWS_SEARCHED), formatPageTime(backTo))}{' '}
      <a href={addressWith(here, { ...query, after: undefined, before: undefined, earlier: formatIsoTime(backTo) })}>
        {PARTS.searched.further}
      </a>
    </p>
  )
