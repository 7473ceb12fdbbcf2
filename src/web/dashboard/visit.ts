import type { Action } from '../../api/access/actions.ts'
import type { PersonCaller } from '../../api/access/actor.ts'
import type { Merchant } from '../../merchants/account/merchant.ts'
import type { Membership, SignedInSession } from '../../merchants/people/session.ts'
import type { Mode } from '../../platform/mode.ts'
import type { App } from '../../program/app.ts'
import type { FormSpec } from '../parts/forms/form-spec.ts'
import {
  type FormRoute,
  formRoute,
  type PageRoute,
  pageRoute,
  type SurfaceRoute,
  type Visit,
} from '../parts/routes/route.ts'
import type { SurfaceReply } from '../parts/routes/surface-reply.ts'

/** A request of a person who has signed in, about one merchant in one mode. */
export type DashboardVisit = Visit & {
  app: App
  merchant: Merchant
  mode: Mode
  /** The path under which the reader sees the pages: the dashboard's own, or one under the console for staff. */
  base: string
  /** Set while staff view the pages: when the view ends, and the console's page to go back to. Null for people of the merchant. */
  staffView: { until: Date; backTo: string } | null
  caller: PersonCaller
  signedIn: SignedInSession & { at: Membership }
}

export type DashboardRoute = SurfaceRoute<DashboardVisit>

/**
 * Declares a page of the dashboard: its path without base and mode, and the action that its reader must be allowed. The default admits
 * every person but tills; a page for tills too names `read`.
 */
export const page = (
  path: string,
  show: (visit: DashboardVisit) => Promise<SurfaceReply>,
  see: Action = 'shop.read',
): PageRoute<DashboardVisit> => pageRoute(path, show, see)

/** Declares what a form of the dashboard does: `submit` calls the operation, `again` shows the page with its faults. */
export const form = (
  spec: FormSpec,
  handlers: Pick<FormRoute<DashboardVisit>, 'submit' | 'showRefused'>,
): FormRoute<DashboardVisit> => formRoute(spec, handlers)
