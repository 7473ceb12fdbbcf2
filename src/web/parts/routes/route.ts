import type { Action } from '../../../api/access/actions.ts'
import type { Actor } from '../../../api/access/actor.ts'
import type { FormFile } from '../../../api/http/bodies/multipart.ts'
import type { SupportSettings } from '../../../merchants/mails/contacts.ts'
import type { SignedInSession } from '../../../merchants/people/session.ts'
import { assert } from '../../../platform/assert.ts'
import type { Gateway } from '../../../program/app.ts'
import type { PostedFields } from '../forms/fields.ts'
import type { FormSpec, FormState, FormValues } from '../forms/form-spec.ts'
import type { Flash, SurfaceReply } from './surface-reply.ts'

/** A request of a surface, signed in or not. */
export type PageRequest = {
  gateway: Gateway
  params: Readonly<Record<string, string>>
  query: Readonly<Record<string, string | undefined>>
  fields: PostedFields
  file: FormFile | null
  cookies: ReadonlyMap<string, string>
  /** The client's network address as limits count it, and the user agent of its browser. */
  address: string
  agent: string
  requestId: string
  now: Date
  /** Path and query of the request. */
  here: string
  /** The name of the part that the page's script requests to replace the old one; null for the whole page. */
  part: string | null
  flash: Flash | null
  https: boolean
  environment: SurfaceEnvironment
  /** How merchants reach us. */
  support: SupportSettings
}

/** The environment in which the pages are served. */
export type SurfaceEnvironment = { name: string; production: boolean; host: string }

/** A request of a person who has signed in. */
export type Visit = PageRequest & {
  signedIn: SignedInSession
  /** The actor for operations. */
  caller: Actor
  /** The address of a path of this surface, in the same mode. */
  to(path: string): string
  /** For a one-time form: the key and the fingerprint that make its operation happen once. */
  once: { key: string; fingerprint: Buffer } | null
  /** The pages have no forms. */
  readOnly?: true
}

/** Returns the key and the fingerprint of a one-time form's operation. The form must be declared with `once`. */
export function getOnce({ once }: Visit): { key: string; fingerprint: Buffer } {
  assert(once !== null, 'the form is declared as one-time')
  return once
}

/** A page that changes nothing. */
export type PageRoute<V> = {
  kind: 'page'
  path: string
  /** The action that the table of actions must allow to see it. */
  see: Action
  show(visit: V): Promise<SurfaceReply>
}

/** A form of a page. `submit` runs its operation; `showRefused` shows its page with what was wrong. */
export type FormRoute<V> = {
  kind: 'form'
  spec: FormSpec
  submit(visit: V, values: FormValues): Promise<SurfaceReply>
  showRefused(visit: V, state: FormState): Promise<SurfaceReply>
}

export type SurfaceRoute<V> = PageRoute<V> | FormRoute<V>

/**
 * Declares a page of a surface: its path without base and mode, and the action that its reader must be allowed. On the dashboard
 * `shop.read` admits every person but tills, and `read` tills too; on the console `console.read` admits every role.
 */
export const pageRoute = <V>(path: string, show: (visit: V) => Promise<SurfaceReply>, see: Action): PageRoute<V> => ({
  kind: 'page',
  path,
  see,
  show,
})

/** Declares what a form of a surface does: `submit` runs its operation, `showRefused` shows its page with what was wrong. */
export const formRoute = <V>(spec: FormSpec, handlers: Omit<FormRoute<V>, 'kind' | 'spec'>): FormRoute<V> => ({
  kind: 'form',
  spec,
  ...handlers,
})

/** A page or form for people who are not signed in. */
export type GuestRoute = {
  method: 'GET' | 'POST'
  path: string
  handle(request: PageRequest): Promise<SurfaceReply>
}
