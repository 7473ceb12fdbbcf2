import type { PersonCaller } from '../../api/access/actor.ts'
import type { Merchant } from '../../merchants/account/merchant.ts'
import type { Membership, SignedInSession } from '../../merchants/people/session.ts'
import type { Mode } from '../../platform/mode.ts'
import type { App } from '../../program/app.ts'
import type { SurfaceRoute, Visit } from '../parts/routes/route.ts'

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
