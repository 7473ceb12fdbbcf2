import { reachedCells } from '../../platform/db/cell-watch.ts'
import { type MergedPage, type MergedWindow, mergedList, readMergedPage } from '../../platform/merged-pages.ts'
import type { Gateway } from '../../program/app.ts'
import { PLATFORM_COLUMNS } from './platform-exceptions.ts'
import { EXCEPTION_COLUMNS, type OpenedException } from './resolve-exception.ts'

/** The three lists, by kind: one side lacks the movement, both have it with different facts, or it only waits. */
export const EXCEPTION_LISTS = {
  missing: ['ours_only', 'rail_only', 'never_arrived'],
  mismatched: [
    ...['mismatch', 'late_contradiction', 'doubled_by_rail', 'contradictory_answer', 'other_number'],
    ...['ledger_breach', 'float_drift'],
  ],
  waiting: ['unresolved'],
} as const satisfies Record<string, readonly string[]>
export type ExceptionList = keyof typeof EXCEPTION_LISTS
/** Every kind there is. */
export const EXCEPTION_KINDS: readonly string[] = Object.values(EXCEPTION_LISTS).flat()

/** The filters of a list; an absent one is null. */
export type ExceptionFilter = {
  list: ExceptionList
  isOpen: boolean
  severity: 'critical' | 'major' | null
  owner: string | null
  merchant: string | null
}

const MATCHES = `kind = any($4::text[]) and ($5::text is null or severity = $5) and ($6::text is null or owner = $6)`
const cellList = (name: string, state: string) =>
  mergedList<OpenedException>(
    name,
    'e.opened_at',
    `select ${EXCEPTION_COLUMNS} from exceptions e where {beyond} and e.closed_at is ${state} and ${MATCHES}
       and ($7::text is null or e.merchant_id = (select m.id from merchants m where m.public_id = $7 or m.handle = $7))
     order by {order}`,
  )
const directoryList = (name: string, state: string) =>
  mergedList<OpenedException>(
    name,
    'opened_at',
    `select 0 as "merchantId", null::text as merchant, 'live' as mode, null::text[] as "foundBy", ${PLATFORM_COLUMNS} from platform_exceptions where {beyond} and closed_at is ${state} and ${MATCHES}
       and $7::text is null order by {order}`,
  )
const LISTS = {
  open: {
    cell: cellList('exceptions of all, open', 'null'),
    directory: directoryList('platform exceptions, open', 'null'),
  },
  closed: {
    cell: cellList('exceptions of all, resolved', 'not null'),
    directory: directoryList('platform exceptions, resolved', 'not null'),
  },
}

/** Returns one page of exceptions over all cells and the platform, newest first. Indexes: exceptions_listed_open, exceptions_listed. */
export async function listExceptions(
  gateway: Gateway,
  { list, isOpen, severity, owner, merchant }: ExceptionFilter,
  window: MergedWindow,
): Promise<MergedPage<OpenedException>> {
  const lists = isOpen ? LISTS.open : LISTS.closed
  const filters = [EXCEPTION_LISTS[list], severity, owner, merchant]
  const places = [
    ...reachedCells(gateway).map(({ db }) => ({ db, list: lists.cell, filters })),
    { db: gateway.directory, list: lists.directory, filters },
  ]
  return readMergedPage({ sources: places, timeOf: ({ openedAt }) => openedAt }, window)
}
