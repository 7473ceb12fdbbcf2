import { countOpenAlerts } from '../alerts/list-alerts.ts'
import type { Gateway } from '../app.ts'
import { EXCEPTION_LISTS, type ExceptionList } from '../exceptions/find-exceptions.ts'
import { MOST_WAITING, type Waiting, type WorkKind, waitingWork } from '../waiting/waiting-work.ts'
import { FRAME } from './texts/frame.ts'

/** What waits, as pages of the console show it to one operator. */
export type WaitingShown = { work: readonly Waiting[]; alerts: number; personId: number }

/** The page of each kind of work, as the navigation names it. */
export const WORK_AT = {
  approvals: '/approvals',
  exceptions: '/reconciliation',
  withdrawals: '/withdrawals',
  numbers: '/numbers',
  verifications: '/verification',
  marks: '/parked',
} as const satisfies Record<WorkKind, string>

/** Null where a database does not answer: its counts may not take the pages that say so with them. */
export async function waitingFor(gateway: Gateway, personId: number): Promise<WaitingShown | null> {
  try {
    const [work, alerts] = await Promise.all([waitingWork(gateway), countOpenAlerts(gateway)])
    return { work, alerts, personId }
  } catch {
    return null
  }
}

/** What an operator who looks has to do of it: nobody approves what he has asked for, and what is only late is no work yet. */
export const isWorkFor = ({ work, part }: Waiting, personId: number): boolean =>
  (work !== 'approvals' || part !== String(personId)) &&
  (work !== 'exceptions' || !EXCEPTION_LISTS.waiting.some((kind) => kind === part))

/** How much waits beside each entry of the navigation; where nothing does there is none. */
export function countsOf(shown: WaitingShown | null): ReadonlyMap<string, string> {
  if (shown === null) return new Map()
  const counts = Object.entries(WORK_AT).map(([kind, path]) => {
    const own = shown.work.filter((one) => one.work === kind && isWorkFor(one, shown.personId))
    return [path, sumOf(own)] as const
  })
  return new Map(
    [...counts, ['/alerts', shown.alerts] as const].flatMap(([path, count]) => {
      const says = countShown(count)
      return says === undefined ? [] : [[path, says] as const]
    }),
  )
}

/** How many open exceptions each list has. */
export const exceptionsOf = (shown: WaitingShown | null, list: ExceptionList): number =>
  sumOf(
    (shown?.work ?? []).filter(
      ({ work, part }) => work === 'exceptions' && EXCEPTION_LISTS[list].some((kind) => kind === part),
    ),
  )

/** How many approvals wait that this operator has asked for, or that others have. */
export const approvalsOf = (shown: WaitingShown | null, whose: 'for-me' | 'by-me'): number =>
  sumOf(
    (shown?.work ?? []).filter(
      ({ work, part }) => work === 'approvals' && (part === String(shown?.personId)) === (whose === 'by-me'),
    ),
  )

/** A count as it stands beside something; nothing where nothing waits. */
export const countShown = (count: number): string | undefined =>
  count === 0 ? undefined : FRAME.count(count, MOST_WAITING)

const sumOf = (rows: readonly Waiting[]) => rows.reduce((sum, { count }) => sum + count, 0)
