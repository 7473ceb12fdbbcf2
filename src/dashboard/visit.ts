import type { Action } from '../actors/actions.ts'
import type { PersonCaller } from '../actors/actor.ts'
import type { App } from '../app.ts'
import type { Merchant } from '../merchants/merchant.ts'
import type { FormSpec } from '../pages/form-spec.ts'
import {
  type FormRoute,
  formRoute,
  type PageRoute,
  pageRoute,
  type Route,
  type Visit,
} from '../pages/route.ts'
import type { Shown } from '../pages/shown.ts'
import type { Membership, SignedIn } from '../people/session.ts'
import type { Mode } from '../platform/mode.ts'

/** A person at one merchant in one mode. */
export type DashboardVisit = Visit & {
  app: App
  merchant: Merchant
  mode: Mode
  /** Where the pages begin for whoever looks at them. */
  base: string
  /** An operator looks: until when, and where its own pages are. Null for people of the merchant. */
  look: { until: Date; out: string } | null
  caller: PersonCaller
  signedIn: SignedIn & { at: Membership }
}

export type DashboardRoute = Route<DashboardVisit>

/**
 * Declares a page of the dashboard: its path without base and mode, and what the person must be allowed to do to see it. Any person sees it
 * unless something else is said; what a till sees too says `read`.
 */
export const page = (
  path: string,
  show: (visit: DashboardVisit) => Promise<Shown>,
  see: Action = 'shop.read',
): PageRoute<DashboardVisit> => pageRoute(path, show, see)

/** Declares what a form of the dashboard does: `submit` calls the operation, `again` shows the page with what was wrong. */
export const form = (
  spec: FormSpec,
  handlers: Pick<FormRoute<DashboardVisit>, 'submit' | 'again'>,
): FormRoute<DashboardVisit> => formRoute(spec, handlers)
