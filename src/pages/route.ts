import type { Action } from '../actors/actions.ts'
import type { Actor } from '../actors/actor.ts'
import type { Gateway } from '../app.ts'
import type { FormFile } from '../http/multipart.ts'
import type { SignedIn } from '../people/session.ts'
import { assert } from '../platform/assert.ts'
import type { Fields } from './fields.ts'
import type { FormSpec, FormState, Values } from './form-spec.ts'
import type { Flash, Shown } from './shown.ts'

/** What every request of a surface has. */
export type Asked = {
  gateway: Gateway
  params: Readonly<Record<string, string>>
  query: Readonly<Record<string, string | undefined>>
  fields: Fields
  file: FormFile | null
  cookies: ReadonlyMap<string, string>
  /** The client's address as limits count it, and what its browser calls itself. */
  address: string
  agent: string
  requestId: string
  now: Date
  /** Path and query as they were asked for. */
  here: string
  /** Only this part of the page is wanted: its script puts it in place of the old one. */
  part: string | null
  flash: Flash | null
  https: boolean
  environment: Environment
}

/** Which installation the pages are of. */
export type Environment = { name: string; production: boolean; host: string }

/** A request of somebody who has signed in. */
export type Visit = Asked & {
  signedIn: SignedIn
  /** Who acts, for operations. */
  caller: Actor
  /** The address of a path of this surface, in the same mode. */
  to(path: string): string
  /** Of a one-time form: what makes its operation happen once. */
  once: { key: string; fingerprint: Buffer } | null
  /** Nothing can be done from these pages: they have no forms. */
  readOnly?: true
}

/** Of a form that was declared as one-time: the key and the fingerprint of its operation. */
export function onceOf({ once }: Visit): { key: string; fingerprint: Buffer } {
  assert(once !== null, 'the form is declared as one-time')
  return once
}

/** Something to look at. */
export type PageRoute<V> = {
  kind: 'page'
  path: string
  /** What the table of actions must allow to look at it. */
  see: Action
  show(visit: V): Promise<Shown>
}

/** A form of a page: it answers 303, or the page again with what was wrong. */
export type FormRoute<V> = {
  kind: 'form'
  spec: FormSpec
  submit(visit: V, values: Values): Promise<Shown>
  again(visit: V, state: FormState): Promise<Shown>
}

export type Route<V> = PageRoute<V> | FormRoute<V>

/** Declares a page of a surface. */
export const pageRoute = <V>(
  path: string,
  show: (visit: V) => Promise<Shown>,
  see: Action = 'read',
): PageRoute<V> => ({ kind: 'page', path, see, show })

/** Declares what a form does. */
export const formRoute = <V>(
  spec: FormSpec,
  { submit, again }: Pick<FormRoute<V>, 'submit' | 'again'>,
): FormRoute<V> => ({ kind: 'form', spec, submit, again })

/** A page or form for people who are not signed in. */
export type GuestRoute = {
  method: 'GET' | 'POST'
  path: string
  handle(asked: Asked): Promise<Shown>
}
