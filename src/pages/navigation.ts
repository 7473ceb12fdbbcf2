import type { Action } from '../actors/actions.ts'
import type { IconName } from './icons.tsx'

/** A page that the navigation leads to. `see`: what somebody must be allowed to do to find it there. */
export type NavigationEntry = {
  path: string
  name: string
  icon: IconName
  see: Action
  /** The page of the entry on which that lies which waits; it is opened first while something does. */
  workAt?: string
}
export type NavigationGroup = { name: string | null; entries: readonly NavigationEntry[] }

/** Whether a path of a surface belongs to an entry: `/charges/txn_...` to `/charges`. */
export const belongsTo = (path: string, entry: string): boolean =>
  entry === '/' ? path === '/' : path === entry || path.startsWith(`${entry}/`)
