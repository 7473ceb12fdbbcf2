import { countOpenAlerts } from '../../operations/alerts/list-alerts.ts'
import {
  MAX_COUNTED_WAITING,
  readWaitingWork,
  type StaffWorkKind,
  type WaitingWork,
} from '../../operations/waiting/waiting-work.ts'
import { EXCEPTION_LISTS, type ExceptionList } from '../../payments/exceptions/find-exceptions.ts'
import type { Gateway } from '../../program/app.ts'
import { CONSOLE_FRAME_TEXTS } from './texts/frame.ts'

/** The work that waits for staff and the open alerts, for one person. */
export type WorkOverview = { work: readonly WaitingWork[]; alerts: number; personId: number }

/** The page of each kind of work, by its path in the navigation. */
export const PATH_BY_WORK = {
  approvals: '/approvals',
  exceptions: '/reconciliation',
  withdrawals: '/withdrawals',
  numbers: '/numbers',
  standing_orders: '/standing-orders',
  verifications: '/verification',
  marks: '/parked',
  cases: '/cases',
} as const satisfies Record<StaffWorkKind, string>

/** Reads the work that waits. Returns null if a database does not answer: the pages that report this must still open. */
export async function readWorkOverview(gateway: Gateway, personId: number): Promise<WorkOverview | null> {
  try {
    const [work, alerts] = await Promise.all([readWaitingWork(gateway), countOpenAlerts(gateway)])
    return { work, alerts, personId }
  } catch {
    return null
  }
}

/** Whether work is this person's to do. Nobody approves their own request, and a payment that is only late is no work yet. */
export const isWorkFor = ({ work, part }: WaitingWork, personId: number): boolean =>
  (work !== 'approvals' || part !== String(personId)) &&
  (work !== 'exceptions' || !EXCEPTION_LISTS.waiting.some((kind) => kind === part))

/** Counts the waiting work and open alerts for each path of the navigation. A path with nothing waiting has no entry. */
export function countByPath(overview: WorkOverview | null): ReadonlyMap<string, string> {
  if (overview === null) return new Map()
  const counts = Object.entries(PATH_BY_WORK).map(([kind, path]) => {
    const ownWork = overview.work.filter((row) => row.work === kind && isWorkFor(row, overview.personId))
    return [path, sumCounts(ownWork)] as const
  })
  return new Map(
    [...counts, ['/alerts', overview.alerts] as const].flatMap(([path, count]) => {
      const text = formatCount(count)
      return text === undefined ? [] : [[path, text] as const]
    }),
  )
}

/** Counts the open exceptions of a list. */
export const countExceptions = (overview: WorkOverview | null, list: ExceptionList): number =>
  sumCounts(
    (overview?.work ?? []).filter(
      ({ work, part }) => work === 'exceptions' && EXCEPTION_LISTS[list].some((kind) => kind === part),
    ),
  )

/** Counts the waiting approvals that this person asked for (`by-me`), or that others did (`for-me`). */
export const countApprovals = (overview: WorkOverview | null, list: 'for-me' | 'by-me'): number =>
  sumCounts(
    (overview?.work ?? []).filter(
      ({ work, part }) => work === 'approvals' && (part === String(overview?.personId)) === (list === 'by-me'),
    ),
  )

/** Formats a count to stand beside a name; undefined if nothing waits. */
export const formatCount = (count: number): string | undefined =>
  count === 0 ? undefined : CONSOLE_FRAME_TEXTS.count(count, MAX_COUNTED_WAITING)

const sumCounts = (rows: readonly WaitingWork[]) => rows.reduce((sum, { count }) => sum + count, 0)
