import type { ComponentChildren } from 'preact'
import { mayDo } from '../../actors/allow.ts'
import { DEVELOPERS } from '../texts/developers.ts'
import type { DashboardVisit } from '../visit.ts'

const { tabs } = DEVELOPERS
const TABS = [
  ['/developers', tabs.keys, 'shop.read'],
  // Both show whatever is about payouts, with names and amounts.
  ['/developers/webhooks', tabs.webhooks, 'payouts.read'],
  ['/developers/events', tabs.events, 'shop.read'],
  ['/developers/requests', tabs.requests, 'payouts.read'],
  ['/developers/sandbox', tabs.sandbox, 'shop.read'],
  ['/developers/reference', tabs.reference, 'shop.read'],
] as const

/** A page of this area: its heading, and the ways to its neighbours. */
export const Area = ({
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

type Query = Readonly<Record<string, string | undefined>>

/** What a query holds of these names. A filter that is left empty is not one. */
export const givenOf = <Name extends string>(query: Query, ...names: Name[]): Partial<Record<Name, string>> =>
  Object.fromEntries(names.flatMap((name) => (query[name] ? [[name, query[name]]] : []))) as Partial<
    Record<Name, string>
  > // Only of these names.
