import type { VNode } from 'preact'
import type { SupportSettings } from '../../../merchants/mails/contacts.ts'
import type { SignedInSession } from '../../../merchants/people/session.ts'
import type { Gateway } from '../../../program/app.ts'
import type { StepUp } from '../forms/answer-form.ts'
import type { Uploads } from '../forms/uploads.ts'
import type { GuestRoute, PageRequest, SurfaceRoute, Visit } from './route.ts'
import type { PageReply, SurfaceReply } from './surface-reply.ts'

/** A set of pages behind one sign-in: the merchants' dashboard, the operators' console. */
export type Surface<V extends Visit> = {
  /** `/dashboard`. */
  base: string
  /** The parts of an address between the base and the path of a page: empty in live mode, `/test` in test mode. */
  prefixes: readonly string[]
  /** The address of the sign-in. */
  signIn: string
  routes: readonly SurfaceRoute<V>[]
  guests: readonly GuestRoute[]
  /** For a surface that has pages only: the text with which every POST is refused. */
  readOnly?: string
  sessionCookie(https: boolean): string
  /** `isPoll`: the page's script asks by itself, which does not count as use of the session. */
  findSession(gateway: Gateway, cookie: string | null, options?: { isPoll: boolean }): Promise<SignedInSession | null>
  /** Makes the visit that pages get; or the reply that is sent instead. */
  open(
    request: PageRequest,
    signedIn: SignedInSession,
    prefix: string,
  ): Promise<{ visit: V } | { instead: SurfaceReply }>
  stepUp: StepUp<V>
  /** Draws the document around a page. `visit` is null for people who are not signed in. */
  frame(page: PageReply, context: { asked: PageRequest; visit: V | null }): VNode
}

/** The parts of the process that the routes of a surface need. */
export type SurfaceOptions = {
  gateway(): Gateway
  nowMs(): number
  trustedProxies: number
  https: boolean
  baseUrl(): string
  /** NODE_ENV. */
  environment: string
  production: boolean
  support: SupportSettings
  /** Requests a minute from one address to pages; 0: any number. */
  requestsAMinute: number
  uploads: Uploads
  troubled(error: unknown, requestId: string): void
}
