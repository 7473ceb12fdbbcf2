import type { VNode } from 'preact'
import type { Gateway } from '../app.ts'
import type { SignedIn } from '../people/session.ts'
import type { StepUp } from './answer-form.ts'
import type { Asked, GuestRoute, Route, Visit } from './route.ts'
import type { PageShown, Shown } from './shown.ts'
import type { Uploads } from './uploads.ts'

/** A set of pages behind one sign-in: the merchants' dashboard, the operators' console. */
export type Surface<V extends Visit> = {
  /** `/dashboard`. */
  base: string
  /** What stands between the base and the path of a page: live mode has nothing, test mode `/test`. */
  prefixes: readonly string[]
  /** The address of the sign-in. */
  signIn: string
  routes: readonly Route<V>[]
  guests: readonly GuestRoute[]
  /** It has pages alone: what every POST is told. */
  readOnly?: string
  sessionCookie(https: boolean): string
  /** `isPoll`: a page asks by itself, which is no use of the session. */
  findSession(gateway: Gateway, cookie: string | null, how?: { isPoll: boolean }): Promise<SignedIn | null>
  /** What a page needs of who asks; or what is shown instead. */
  open(asked: Asked, signedIn: SignedIn, prefix: string): Promise<{ visit: V } | { instead: Shown }>
  stepUp: StepUp<V>
  /** The document around a page; without a visit for people who are not signed in. */
  frame(page: PageShown, place: { asked: Asked; visit: V | null }): VNode
}

/** What the routes of a surface need of the process. */
export type SurfaceOptions = {
  gateway(): Gateway
  nowMs(): number
  trustedProxies: number
  https: boolean
  baseUrl(): string
  /** NODE_ENV. */
  environment: string
  production: boolean
  /** Requests a minute from one address to pages; 0: any number. */
  requestsAMinute: number
  uploads: Uploads
  troubled(error: unknown, requestId: string): void
}
