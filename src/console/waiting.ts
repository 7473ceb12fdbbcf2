import { countOpenAlerts } from '../alerts/list-alerts.ts'
import type { Gateway } from '../app.ts'
import { EXCEPTION_LISTS, type ExceptionList } from '../exceptions/find-exceptions.ts'
import { MOST_WAITING, type Waiting, type WorkKind, waitingWork } from '../waiting/waiting-work.ts'
import { FRAME } from './texts/frame.ts'

/** The work that waits for staff and the open alerts, for one person. */
export type WaitingShown = { work: readonly Waiting[]; alerts: number; personId: number }

/** The page of each kind of work, by its path in the navigation. */
export const WORK_AT = {
  approvals: '/approvals',
  exceptions: '/reconciliation',
  withdrawals: '/withdrawals',
  numbers: '/numbers',
  verifications: '/verification',
  marks: '/parked',
} as const satisfies Record<WorkKind, string>

/** Reads the work that waits. Returns null if a database does not answer: the pages that report this must still open. */
export async function waitingFor(gateway: Gateway, personId: number): Promise<WaitingShown | null> {
  try {
    const [work, alerts] = await Promise.all([waitingWork(gateway), countOpenAlerts(gateway)])
    return { work, alerts, personId }
  } catch {
    return null
  }
}

/** Whether work is this person's to do. Nobody approves their own request, and a payment that is only late is no work yet. */
export const isWorkFor = ({ work, part }: Waiting, personId: number): boolean =>
  (work !== 'approvals' || part !== String(personId)) &&
  (work !== 'exceptions' || !EXCEPTION_LISTS.waiting.some((kind) => kind === part))

/** Counts the waiting work and open alerts for each path of the navigation. A path with nothing waiting has no entry. */
export function countsOf(overview: WaitingShown | null): ReadonlyMap<string, string> {
  if (overview === null) return new Map()
  const counts = Object.entries(WORK_AT).map(([kind, path]) => {
    const ownWork = overview.work.filter((row) => row.work === kind && isWorkFor(row, overview.personId))
    return [path, sumOf(ownWork)] as const
  })
  return new Map(
    [...counts, ['/alerts', overview.alerts] as const].flatMap(([path, count]) => {
      const text = countShown(count)
      return text === undefined ? [] : [[path, text] as const]
    }),
  )
}

/** Counts the open exceptions of a list. */
export const exceptionsOf = (overview: WaitingShown | null, list: ExceptionList): number =>
  sumOf(
    (overview?.work ?? []).filter(
      ({ work, part }) => work === 'exceptions' && EXCEPTION_LISTS[list].some((kind) => kind === part),
    ),
  )

/** Counts the waiting approvals that this person asked for (`by-me`), or that others did (`for-me`). */
export const approvalsOf = (overview: WaitingShown | null, list: 'for-me' | 'by-me'): number =>
  sumOf(
    (overview?.work ?? []).filter(
      ({ work, part }) =>
        work === 'approvals' && (part === String(overview?.personId)) === (list === 'by-me'),
    ),
  )

/** Formats a count to stand beside a name; undefined if nothing waits. */
export const countShown = (count: number): string | undefined =>
  count === 0 ? undefined : FRAME.count(count, MOST_WAITING)

const sumOf = (rows: readonly Waiting[]) => rows.reduce((sum, { count }) => sum + count, 0)
