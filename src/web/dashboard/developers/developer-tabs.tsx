import type { ComponentChildren } from 'preact'
import { mayDo } from '../../../api/access/allow.ts'
import { DEVELOPERS } from '../texts/developers.ts'
import type { DashboardVisit } from '../visit.ts'

const { tabs } = DEVELOPERS
const TABS = [
  ['/developers', tabs.keys, 'shop.read'],
  // Webhooks and requests show payouts, with names and amounts: readers must be allowed to see those.
  ['/developers/webhooks', tabs.webhooks, 'payouts.read'],
  ['/developers/events', tabs.events, 'shop.read'],
  ['/developers/requests', tabs.requests, 'payouts.read'],
  ['/developers/sandbox', tabs.sandbox, 'shop.read'],
  ['/developers/reference', tabs.reference, 'shop.read'],
] as const

/** Frames a page for developers: the tabs of the area, and the heading of the page. */
export const DeveloperArea = ({
  visit,
  at,
  title,
  children,
}: {
  visit: DashboardVisit
  at: (typeof TABS)[number][0]
  title: string
  children: ComponentChildren
}) => (
  <>
    <nav class="tabs" aria-label={tabs.label}>
      {TABS.filter(([, , see]) => mayDo(visit.caller, see)).map(([path, name]) => (
        <a href={visit.to(path)} aria-current={path === at ? 'page' : undefined}>
          {name}
        </a>
      ))}
    </nav>
    <h1>{title}</h1>
    {children}
  </>
)

/** Picks the values of these names from a query. A filter that was left empty is not in the result. */
export const pickFilters = <Name extends string>(
  query: DashboardVisit['query'],
  ...names: Name[]
): Partial<Record<Name, string>> =>
  Object.fromEntries(names.flatMap((name) => (query[name] ? [[name, query[name]]] : []))) as Partial<
    Record<Name, string>
  > // Only of these names.
